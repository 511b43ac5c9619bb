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

const start = (command: string[], more: { stdin?: string; wrapper?: string[]; timed?: 'output' } = {}) =>
  new Launcher({ launcher, command, errors: join(folder, 'errors'), ...more })

test('a command is timed once per request, with its processor time', async () => {
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

test('the first byte is timed although the command runs on', async () => {
  const launched = start(['/bin/sh', '-c', 'echo word; sleep 0.4; echo more'], { timed: 'output' })
  expect(await launched.once()).toBeLessThan(400)
  await launched.close()
})

test('what a command leaves behind is waited for, and its processor time counts', async () => {
  const command = [
    '/bin/sh',
    '-c',
    '(sleep 0.1; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done) & exit 0',
  ]
  const launched = new Launcher({ launcher, command, errors: join(folder, 'errors'), timed: 'all' })
  expect(await launched.once()).toBeGreaterThan(100)
  expect(launched.cpuMs).toBeGreaterThan(10)
  await launched.close()
})

test('a command without output has failed when its first byte is timed', async () => {
  const launched = start(['/bin/true'], { timed: 'output' })
  await expect(launched.once()).rejects.toThrow('/bin/true')
  await launched.close()
})

test('the error of a failed command has its error output', async () => {
  const launched = start(['/bin/sh', '-c', 'echo no such luck >&2; exit 3'])
  await expect(launched.once()).rejects.toThrow('no such luck')
  await launched.close()
})

test('a missing command is an error', async () => {
  await expect(start(['/bin/does-not-exist']).once()).rejects.toThrow('/bin/does-not-exist')
})

test('the environment is made once, before the launcher starts', async () => {
  const wrapper = ['/bin/sh', '-c', 'MADE=yes; export MADE; exec "$0" "$@"']
  const launched = start(['/bin/sh', '-c', 'test "$MADE" = yes'], { wrapper })
  await launched.once()
  await launched.close()
})
