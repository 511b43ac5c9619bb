import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findGvisor, gvisorCheck, gvisorPrograms, gvisorReleaseMin } from './gvisor.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gvisor-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function program(name: string, says: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n[ "$1" = --version ] && printf '%s\\nspec: 1.2.0\\n' '${says}'\n`)
  await chmod(path, 0o755)
  return path
}

test('releases are parsed in Debian’s and the upstream format, and a program without one is not runsc', async () => {
  const paths = await Promise.all([
    program('debian', 'runsc version 0.0~20240729.0'),
    program('makers', 'runsc version release-20250707.0'),
    program('other', 'something else 20240729'),
  ])
  const found = await gvisorPrograms([...paths, join(folder, 'nothing')])
  expect(found).toEqual([
    { path: paths[0], release: 20240729 },
    { path: paths[1], release: 20250707 },
  ])
})

test('a release that is too old is refused with advice, and a newer one later in the list is used', async () => {
  const old = { path: '/usr/bin/runsc', release: 20221219 }
  expect(await gvisorCheck([old])).toEqual({
    name: 'runsc',
    ok: false,
    found:
      '/usr/bin/runsc is release 20221219, with which ls and stat fail in images of Debian 12; 20240729 is needed',
    advice: expect.stringContaining('install/runsc.sh'),
  })
  expect(await gvisorCheck([])).toMatchObject({ ok: false, found: 'not found' })
  expect(await gvisorCheck([old, { path: '/x', release: gvisorReleaseMin }])).toMatchObject({
    ok: true,
    found: '/x, release 20240729',
  })
})

test('this machine has a release that works with programs of Debian 12', async () => {
  expect(await findGvisor()).toBe('/usr/local/lib/sandbox-jobs/runsc')
})
