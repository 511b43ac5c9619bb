import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { noInput } from '../../testing/no-input.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'

/* The memory limit of all sandboxes together. */

const MiB = 1024 * 1024
const limitMib = 512
const { db } = await createTestDatabase()
let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start({ SANDBOX_MEMORY_MIB: String(limitMib) })
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const sleeper = (memoryMib: number): SandboxSpec =>
  shellJob(empty, 'sleep 100', { memoryBytes: memoryMib * MiB, timeoutMs: 100_000 })
const end = async (id: string) => {
  await agent.client.stop(id)
  await agent.client.wait(id)
}
const allGone = () => waitUntil(async () => (await agent.client.capacity()).running === 0)

test('no more memory is promised than the limit, also after an agent has adopted sandboxes', async () => {
  const [first, second, third] = [sleeper(200), sleeper(200), sleeper(200)]
  await agent.client.start(first, noInput)
  await agent.client.start(second, noInput)
  await expect(agent.client.start(third, noInput)).rejects.toMatchObject({ slug: 'no_capacity' })
  await agent.end('SIGKILL')
  await agent.start()
  await expect(agent.client.start(third, noInput)).rejects.toMatchObject({ slug: 'no_capacity' })
  await agent.client.start(sleeper(100), noInput)
  await end(first.id)
  await waitUntil(() =>
    agent.client.start(third, noInput).then(
      () => true,
      () => false,
    ),
  )
  for (const { id, state } of await agent.client.list()) if (state === 'running') await end(id)
  await allGone()
})

test('a group above all sandboxes has that limit, and the kernel kills them first', async () => {
  const spec = sleeper(64)
  await agent.client.start(spec, noInput)
  await agent.running(spec.id)
  const groups = [
    `/sys/fs/cgroup/memory/${agent.cgroup}/memory.limit_in_bytes`,
    `/sys/fs/cgroup/${agent.cgroup}/memory.max`,
  ]
  const bounds = await Promise.all(groups.map((path) => readFile(path, 'utf8').catch(() => undefined)))
  expect(Number(bounds.find((bound) => bound !== undefined))).toBe((limitMib + 64) * MiB)
  const processes = await agent.processes(spec.id)
  expect(processes.length).toBeGreaterThan(0)
  for (const pid of processes) {
    expect((await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).trim()).toBe('1000')
  }
  await end(spec.id)
  await allGone()
})

test('when all sandboxes exhaust memory at once they end, and database and agent continue', async () => {
  const serverOf = async () => {
    const { rows } = await sql<{ since: Date }>`select pg_postmaster_start_time() as since`.execute(db)
    return rows[0]?.since.getTime()
  }
  const [since, agentPid] = [await serverOf(), agent.process?.pid]
  // Each has more than half: their limits are twice that of the group above them.
  const bomb = 'tail /dev/zero & tail /dev/zero & dd if=/dev/zero of=/workspace/x bs=1M; wait; exit 9'
  const limits = { memoryBytes: limitMib * MiB, workspaceBytes: 400 * MiB }
  const bombs = [shellJob(empty, bomb, limits), shellJob(empty, bomb, limits)]
  const exits = await Promise.all(bombs.map((spec) => agent.run(spec)))
  for (const { exit } of exits) expect(['out_of_memory', 'exited']).toContain(exit.cause)
  expect(exits.reduce((sum, { exit }) => sum + exit.oomKills, 0)).toBeGreaterThan(0)
  expect(await serverOf()).toBe(since)
  expect(agent.process?.pid).toBe(agentPid)
  expect(agent.process?.exitCode).toBeNull()
  // A sandbox is promised its memory until its shim is gone, shortly after its exit is reported.
  await allGone()
  const after = await agent.run(shellJob(empty, 'true'))
  expect(after.exit.exitCode).toBe(0)
})
