import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../server/base/clock.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { sandboxRuntimes } from '../port/sandbox-spec.ts'

const MiB = 1024 * 1024
let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

test.each(sandboxRuntimes)(
  'on %s, a program past its deadline is killed with all its processes',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 100 & sleep 100', { runtime, timeoutMs: 300 })
    const { exit } = await agent.run(spec)
    expect(exit).toMatchObject({ cause: 'deadline', exitCode: null })
    expect(await agent.processes(spec.id)).toEqual([])
  },
)

test.each(sandboxRuntimes)(
  'on %s, a program that exhausts its memory ends as out of memory',
  async (runtime) => {
    const { exit } = await agent.run(
      shellJob(empty, 'tail /dev/zero', { runtime, memoryBytes: 64 * MiB, timeoutMs: 60_000 }),
    )
    expect(exit.cause).toBe('out_of_memory')
    expect(exit.oomKills).toBeGreaterThan(0)
  },
)

test.each(sandboxRuntimes)(
  'on %s, a fork bomb is stopped at its process limit, which is reported',
  async (runtime) => {
    const { exit, log } = await agent.run(
      // The shell forks once, so that it is not refused itself, and waits for the first refusal.
      shellJob(
        empty,
        'f() { f | f & }; : >err; f 2>>err & until read -r line <err; do :; done; echo "$line"',
        {
          runtime,
          timeoutMs: 60_000,
          pids: 20,
        },
      ),
    )
    expect(log).toContain("can't fork")
    // gVisor does not count what it refuses.
    if (runtime !== 'runsc') expect(exit.pidsLimitHits).toBeGreaterThan(0)
    const after = await agent.run(shellJob(empty, 'true', { runtime }))
    expect(after.exit.exitCode).toBe(0)
  },
)

test.each(sandboxRuntimes)('on %s, a full workspace is reported', async (runtime) => {
  const { exit } = await agent.run(
    shellJob(empty, 'dd if=/dev/zero of=/workspace/full bs=1M; exit 9', { runtime, workspaceBytes: 4 * MiB }),
  )
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 9, workspaceFull: true })
})

test.each(sandboxRuntimes)(
  'on %s, writes above the image count against the workspace too',
  async (runtime) => {
    const { exit } = await agent.run(
      shellJob(empty, 'dd if=/dev/zero of=/full bs=1M; exit 9', { runtime, workspaceBytes: 4 * MiB }),
    )
    expect(exit.workspaceFull).toBe(true)
  },
)

test.each(sandboxRuntimes)('on %s, a workspace on disk is capped and writable', async (runtime) => {
  const { exit } = await agent.run(
    shellJob(empty, 'echo 1 > output.json; dd if=/dev/zero of=full bs=1M; exit 9', {
      runtime,
      workspaceKind: 'disk',
      workspaceBytes: 16 * MiB,
    }),
  )
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 9, workspaceFull: true })
  expect(exit.files.output).toEqual({ status: 'present', byteSize: 2 })
})

test('2 GiB of log are bounded to head and tail, and do not slow the program much', async () => {
  const script = 'echo first; dd if=/dev/zero bs=1M count=2048 2>/dev/null; echo last'
  const { exit, log } = await agent.run(shellJob(empty, script, { timeoutMs: 60_000 }))
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
  expect(exit.log.totalBytes).toBe(2048 * MiB + 11)
  expect(exit.log.keptBytes).toBe(64 * 1024)
  expect(log.startsWith('first\n')).toBe(true)
  expect(log.endsWith('last\n')).toBe(true)
  expect(log).toMatch(/\[\.\.\. \d+ bytes of the log are left out here \.\.\.]/)
  expect(log.length).toBeLessThan(65 * 1024)
})

test('a log without end takes limited processor time beyond the job’s own', async () => {
  const spec = shellJob(empty, 'yes', { timeoutMs: 60_000 })
  const startedMs = performance.now()
  await agent.client.start(spec, noInput)
  const shim = await agent.shim(spec.id)
  await sleep(6000)
  const fields = (await readFile(`/proc/${shim}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number)
  const usedMs = (user + system) * 10
  expect(usedMs).toBeLessThan(2000 + (performance.now() - startedMs) / 4 + 300)
  await agent.client.stop(spec.id)
  expect((await agent.client.wait(spec.id)).log.totalBytes).toBeGreaterThan(64 * MiB)
})

test('the shim of a log without end lowers its priority', async () => {
  const [quiet, loud] = [shellJob(empty, 'sleep 100'), shellJob(empty, 'yes', { timeoutMs: 60_000 })]
  for (const spec of [quiet, loud]) await agent.client.start(spec, noInput)
  const [shimOfQuiet, shim] = [await agent.shim(quiet.id), await agent.shim(loud.id)]
  const niceness = async (pid: number) =>
    Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[16])
  await waitUntil(async () => (await niceness(shim)) === 10)
  expect(await niceness(shimOfQuiet)).toBe(await niceness(process.pid))
  for (const { id } of [quiet, loud]) await agent.client.stop(id)
  for (const { id } of [quiet, loud]) await agent.client.wait(id)
})

test('a machine whose slots are all in use refuses, and accepts again when one is free', async () => {
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
  const { slots } = await agent.client.capacity()
  const endless = Array.from({ length: slots }, () => shellJob(empty, 'sleep 100'))
  await Promise.all(endless.map((spec) => agent.client.start(spec, noInput)))
  const late = shellJob(empty, 'true')
  await expect(agent.client.start(late, noInput)).rejects.toMatchObject({ slug: 'no_capacity' })
  await Promise.all(endless.map((spec) => agent.client.stop(spec.id)))
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
  expect((await agent.run(late)).exit.exitCode).toBe(0)
})
