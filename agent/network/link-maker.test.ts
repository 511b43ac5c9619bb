import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { LoneNamespace } from '../../testing/agent/internet/lone-namespace.ts'
import { waitUntil } from '../../testing/agent/test-agent.ts'
import { gateway4, linkAddresses, linkIndexes } from './addresses.ts'
import { LinkMaker } from './link-maker.ts'

let folder: string
/** In place of a router's. */
let namespace: LoneNamespace
let links: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'links-'))
  links = installedPrograms(folder, ['links']).links
  namespace = await LoneNamespace.make([gateway4])
})
afterAll(async () => {
  namespace.dispose()
  await rm(folder, { recursive: true, force: true })
})

const router = () => ({ namespace: namespace.path, hasIp6: false })

test('indexes wrap around to the first one, and no link gets the address of the router', async () => {
  const maker = new LinkMaker(links, router(), { last: linkIndexes - 1 })
  try {
    const made = [await maker.make(), await maker.make(), await maker.make()]
    expect(made.map(({ index }) => index)).toEqual([linkIndexes, 2, 3])
    expect(made.map(({ index }) => linkAddresses(index).ip4)).not.toContain(gateway4)
  } finally {
    await maker.stop()
  }
})

const datagram = `require('node:dgram').createSocket('udp4').send('x', 9, process.argv[1], () => process.exit(0))`

test('connections of a link are deleted when its sandbox has ended, and those of others stay', async () => {
  // Connections are tracked where a rule asks for their state.
  const rules = 'table inet test { chain in { type filter hook input priority 0; ct state new accept; }; }'
  await namespace.run('nft', rules)
  const maker = new LinkMaker(links, router(), { sweepMs: 50 })
  const tracked = async () => {
    const text = await namespace.run('cat', '/proc/net/nf_conntrack')
    return [...text.matchAll(/src=(\S+) dst=198\.18\.0\.1 /g)].map(([, from]) => from).toSorted()
  }
  try {
    const [ended, other] = [await maker.make(), await maker.make()]
    for (const { path } of [ended, other])
      await namespace.run('nsenter', `--net=${path}`, process.execPath, '-e', datagram, gateway4)
    const [first, second] = [ended, other].map(({ index }) => linkAddresses(index).ip4)
    expect(await tracked()).toEqual([first, second].toSorted())
    maker.drop(ended)
    await waitUntil(async () => (await tracked()).length < 2)
    expect(await tracked()).toEqual([second])
  } finally {
    await maker.stop()
  }
})
