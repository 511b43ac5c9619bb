import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLauncher, Launcher } from './launcher.ts'

let folder: string
let launcher: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bench-launcher-'))
  launcher = await buildLauncher(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (command: string[], more: { stdin?: string; within?: string[]; timed?: 'output' } = {}) =>
  new Launcher({ launcher, command, errors: join(folder, 'errors'), ...more })

test('a command is timed as often as it is asked for, its processor time too', async () => {
  const launched = start(['/bin/true'])
  expect(launched.cpuMs).toBeNull()
  expect(await launched.once()).toBeGreaterThan(0)
  expect(await launched.once()).toBeGreaterThan(0)
  expect(launched.cpuMs).toBeGreaterThan(0)
  await launched.close()
})

test('a command reads the same input from its start each time', async () => {
  const stdin = join(folder, 'input')
  await writeFile(stdin, 'word\n')
  const launched = start(['/bin/sh', '-c', 'read -r line && test "$line" = word'], { stdin })
  await launched.once()
  await launched.once()
  await launched.close()
})

test('the first byte of a command that then goes on for long is timed', async () => {
  const launched = start(['/bin/sh', '-c', 'echo word; sleep 0.4; echo more'], { timed: 'output' })
  expect(await launched.once()).toBeLessThan(400)
  await launched.close()
})

test('a command whose first byte is awaited and that says nothing has failed', async () => {
  const launched = start(['/bin/true'], { timed: 'output' })
  await expect(launched.once()).rejects.toThrow('/bin/true')
  await launched.close()
})

test('a command that fails is told with what it said', async () => {
  const launched = start(['/bin/sh', '-c', 'echo no such luck >&2; exit 3'])
  await expect(launched.once()).rejects.toThrow('no such luck')
  await launched.close()
})

test('a command that is not there is told too', async () => {
  await expect(start(['/bin/does-not-exist']).once()).rejects.toThrow('/bin/does-not-exist')
})

test('surroundings are made once, before the launcher', async () => {
  const within = ['/bin/sh', '-c', 'MADE=yes; export MADE; exec "$0" "$@"']
  const launched = start(['/bin/sh', '-c', 'test "$MADE" = yes'], { within })
  await launched.once()
  await launched.close()
})
