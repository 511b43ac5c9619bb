import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installEverydayImage } from '../../../testing/agent/everyday/everyday-image.ts'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import { type SandboxRuntime, type SandboxSpec, sandboxRuntimes } from '../../port/sandbox-spec.ts'

/*
 * Everyday programs on Debian 12 and Node must work in a sandbox as outside: coreutils and similar tools, Python's own tests, and
 * a small test of each area of Node. install/test-builder.sh makes the image.
 */

let agent: TestAgent
let image: string
beforeAll(async () => {
  agent = await TestAgent.start()
  image = await installEverydayImage(agent)
})
afterAll(() => agent.dispose())

const MiB = 1024 ** 2
const program = (name: string) => readFile(join(import.meta.dirname, '../../../testing/agent/everyday', name))

/** An unprivileged user, with the limits of a usual profile. */
const job = (runtime: SandboxRuntime, argv: string[]): SandboxSpec => ({
  ...shellJob(image, '', {
    runtime,
    timeoutMs: 280_000,
    memoryBytes: 1024 * MiB,
    workspaceBytes: 256 * MiB,
    workspaceInodes: 100_000,
    pids: 256,
    openFiles: 4096,
    logBytes: MiB,
  }),
  argv,
  env: { LC_ALL: 'C.UTF-8', HOME: '/workspace', TMPDIR: '/tmp' },
  user: { uid: 1000, gid: 1000 },
})

async function outputOf(runtime: SandboxRuntime, argv: string[], input: Buffer): Promise<string> {
  const { exit, log } = await agent.run(job(runtime, argv), input.toString())
  expect(exit, log).toMatchObject({ cause: 'exited', exitCode: 0 })
  return log
}

test('coreutils and similar tools print the same on both runtimes', async () => {
  const script = await program('coreutils.sh')
  const run = (runtime: SandboxRuntime) =>
    outputOf(runtime, ['/bin/sh', '-c', script.toString()], Buffer.alloc(0))
  const [onCrun, onGvisor] = [await run('crun'), await run('runsc')]
  expect(onCrun).toContain('== processes')
  expect(onGvisor).toBe(onCrun)
})

test.each(sandboxRuntimes)('each area of Node works on %s', async (runtime) => {
  const start = 'cat >areas.mjs && exec node --test --test-reporter=tap areas.mjs'
  const log = await outputOf(runtime, ['/bin/sh', '-c', start], await program('areas.mjs'))
  expect(log).toMatch(/^# fail 0$/m)
  expect(log).toMatch(/^# pass 10$/m)
})

/**
 * Fast tests of files, processes, threads, pipes, terminals and data that use many kernel features. Excluded: disk usage, which
 * gVisor does not report.
 */
const pythonTests =
  `-i test_disk_usage test_stat test_fnmatch test_fileio test_filecmp test_shutil test_mmap test_select test_csv test_struct
  test_hashlib test_zlib test_base64 test_thread test_threading_local test_pipes test_popen test_contextlib
  test_pty test_openpty`.split(/\s+/)

test.each(sandboxRuntimes)('Python’s own tests pass on %s', async (runtime) => {
  const words = ['/usr/bin/python3', '-m', 'test', '--timeout', '120', ...pythonTests]
  expect(await outputOf(runtime, words, Buffer.alloc(0))).toMatch(/^Tests result: SUCCESS$/m)
})
