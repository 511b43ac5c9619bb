import { spawn } from 'node:child_process'
import { mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installedPrograms } from '../../../native-programs/installed.ts'
import { waitUntil } from '../testing/test-agent.ts'
import { gateway4, linkAddresses, linkIndexes } from './addresses.ts'
import { LinkMaker } from './link-maker.ts'

test('indexes wrap around to the first one, and no link gets the address of the router', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'links-'))
  const { links } = installedPrograms(folder, ['links'])
  // A new namespace in place of a router's.
  const holder = spawn('/usr/bin/unshare', ['--net', 'sleep', 'infinity'])
  const namespace = `/proc/${holder.pid}/ns/net`
  const own = await readlink('/proc/self/ns/net')
  await waitUntil(async () => (await readlink(namespace)) !== own)
  const maker = new LinkMaker(links, { namespace, hasIp6: false }, linkIndexes - 1)
  try {
    const made = [await maker.make(), await maker.make(), await maker.make()]
    expect(made.map(({ index }) => index)).toEqual([linkIndexes, 2, 3])
    expect(made.map(({ index }) => linkAddresses(index).ip4)).not.toContain(gateway4)
  } finally {
    await maker.stop()
    holder.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
