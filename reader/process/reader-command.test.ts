import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startTestReader, testConfinement } from '../../testing/test-readers.ts'
import { contextBounds } from '../formats/archive.ts'
import { directReaders, type ReaderLimits, readerProgram } from './reader-command.ts'
import { controlFd, readyLine } from './reader-messages.ts'
import { ReaderProcess } from './reader-process.ts'

const mib = 1024 ** 2
const folder = import.meta.dirname

/** Runs a program like a reader that has not sealed itself. */
function run(limits: ReaderLimits, program: string[]) {
  const reader = readerProgram({ program, folders: [folder], node: process.execPath })
  const [command = '', ...args] = directReaders(testConfinement(), reader)(limits).command
  return promisify(execFile)(command, args, { env: {}, cwd: '/' })
}

/** Attempts that a reader under an archive's control would make first. */
const probe = `
import { readFileSync, writeFileSync, readdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { Worker } from 'node:worker_threads'
const attempts = {
  environment: () => { if (Object.keys(process.env).length === 0) throw { code: 'empty' } },
  read: () => readFileSync('/etc/passwd'),
  list: () => readdirSync('/'),
  memory: () => readFileSync('/proc/self/environ'),
  write: () => writeFileSync('/tmp/reader-was-here', ''),
  spawn: () => spawnSync('/bin/true'),
  thread: () => new Worker('1', { eval: true }),
  evaluate: () => new Function('return 1'),
  addon: () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'),
}
const results = {}
for (const [name, attempt] of Object.entries(attempts)) {
  try { attempt(); results[name] = 'GOT IT' } catch (error) { results[name] = error.code ?? error.name }
}
const limits = process.report?.getReport().userLimits
results.core = limits.core_file_size_blocks.hard
results.files = limits.open_files.hard
console.log(JSON.stringify(results))
`

it('leaves a hijacked reader no access, even before the system call filter', async () => {
  const { stdout } = await run({ memoryBytes: 256 * mib, timeoutMs: 10_000 }, [
    '--input-type=module',
    '--eval',
    probe,
  ])
  expect(JSON.parse(stdout)).toEqual({
    environment: 'empty',
    read: 'ERR_ACCESS_DENIED',
    list: 'ERR_ACCESS_DENIED',
    memory: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    spawn: 'ERR_ACCESS_DENIED',
    thread: 'ERR_ACCESS_DENIED',
    evaluate: 'EvalError',
    addon: 'ERR_DLOPEN_DISABLED',
    core: 1,
    files: 64,
  })
})

it('ends a reader that exceeds its memory limit, in its heap or outside', async () => {
  const limits = { memoryBytes: 64 * mib, timeoutMs: 10_000 }
  const programs = [
    'const held = []; for (;;) held.push(new Array(1000).fill(held))',
    'const held = []; for (;;) held.push(Buffer.alloc(8 * 1024 ** 2, 1))',
  ]
  for (const program of programs) await expect(run(limits, ['--eval', program])).rejects.toThrow()
})

it('ends a reader that exceeds its processor time', async () => {
  await expect(
    run({ memoryBytes: 64 * mib, timeoutMs: 1000 }, ['--eval', 'for (;;);']),
  ).rejects.toMatchObject({
    signal: expect.stringMatching(/^SIG(XCPU|KILL)$/),
  })
})

it('ends without a crash when the worker ends its work', async () => {
  const [command = '', ...args] = startTestReader({ memoryBytes: 256 * mib, timeoutMs: 10_000 }).command
  const reader = spawn(command, args, {
    ...{ env: {}, cwd: '/' },
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const control = reader.stdio[controlFd] as Duplex
  const end = once(reader, 'exit')
  let said = ''
  for await (const chunk of control) {
    said += chunk
    if (said.endsWith(readyLine)) break
  }
  control.destroy()
  expect(await end).toEqual([0, null])
})

it.each([
  ['a node that is missing', ['/nowhere/node', '/dev/null'], '/nowhere/node'],
  ['a program that is missing', [process.execPath, '/nowhere/main.mjs'], '/nowhere/main.mjs'],
])('names %s', async (_, program, path) => {
  const startMissing = directReaders(testConfinement(), program)
  const reader = new ReaderProcess(startMissing, { memoryBytes: 256 * mib, timeoutMs: 10_000 })
  const job = { kind: 'context', format: 'tar', byteSize: 0, bounds: contextBounds } as const
  await expect(reader.runJob(job)).rejects.toThrow(
    new RegExp(`cannot be started or confined: exited with 70, .*${path}: No such file or directory`),
  )
})

it('reports the exit of a reader that says why it cannot start and then takes a moment to end', async () => {
  const script = `printf '{"pid":1}\\nno filter\\n' >&${controlFd}; sleep 0.2; exit 70`
  const reader = new ReaderProcess(() => ({ command: ['/bin/sh', '-c', script] }), {
    memoryBytes: 256 * mib,
    timeoutMs: 10_000,
  })
  const job = { kind: 'context', format: 'tar', byteSize: 0, bounds: contextBounds } as const
  await expect(reader.runJob(job)).rejects.toThrow(
    'the archive reader cannot be started or confined: exited with 70, {"pid":1}, no filter',
  )
})
