import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { forgetMachine } from './debian.ts'

test('an image made from Debian packages contains neither the name nor the resolvers of the machine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-debian-'))
  await mkdir(join(folder, 'etc'))
  for (const name of ['hostname', 'resolv.conf', 'passwd']) await writeFile(join(folder, 'etc', name), 'x')
  await promisify(execFile)('sh', ['-c', forgetMachine, 'hook', folder])
  expect(await readdir(join(folder, 'etc'))).toEqual(['passwd'])
  await rm(folder, { recursive: true })
})
