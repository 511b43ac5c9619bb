import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readerCommand } from './reader-command.ts'

const mib = 1024 ** 2

/** What a reader that has fallen to an archive would try first. */
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
const told = {}
for (const [name, attempt] of Object.entries(attempts)) {
  try { attempt(); told[name] = 'GOT IT' } catch (error) { told[name] = error.code ?? error.name }
}
const limits = process.report?.getReport().userLimits
told.core = limits.core_file_size_blocks.hard
told.files = limits.open_files.hard
console.log(JSON.stringify(told))
`

it('leaves a program that has fallen nothing to take and nothing to do', async () => {
  const [command = '', ...args] = readerCommand({ memoryBytes: 256 * mib, timeoutMs: 10_000 }, [
    '--input-type=module',
    '--eval',
    probe,
  ])
  const { stdout } = await promisify(execFile)(command, args, { env: {}, cwd: '/' })
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
    core: 0,
    files: 64,
  })
})

it('ends one that takes more memory than it may, in its heap or outside', async () => {
  const limits = { memoryBytes: 64 * mib, timeoutMs: 10_000 }
  const programs = [
    'const held = []; for (;;) held.push(new Array(1000).fill(held))',
    'const held = []; for (;;) held.push(Buffer.alloc(8 * 1024 ** 2, 1))',
  ]
  for (const program of programs) {
    const [command = '', ...args] = readerCommand(limits, ['--eval', program])
    await expect(promisify(execFile)(command, args, { env: {}, cwd: '/' })).rejects.toThrow()
  }
})

it('ends one that computes for longer than its time', async () => {
  const [command = '', ...args] = readerCommand({ memoryBytes: 64 * mib, timeoutMs: 1000 }, [
    '--eval',
    'for (;;);',
  ])
  const ended = promisify(execFile)(command, args, { env: {}, cwd: '/' })
  await expect(ended).rejects.toMatchObject({ signal: expect.stringMatching(/^SIG(XCPU|KILL)$/) })
})
