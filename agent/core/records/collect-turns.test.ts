import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../../server/base/clock.ts'
import { shellJob, TestAgent, waitUntil } from '../../../testing/agent/test-agent.ts'
import { noInput } from '../../../testing/no-input.ts'
import { agentPaths } from '../../host/paths.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'

let agent: TestAgent
let empty: string
beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

function job(owner: number, kib: number): SandboxSpec {
  const script = `cd /workspace && mkdir -p artifacts && dd if=/dev/zero of=artifacts/a bs=1024 count=${kib} 2>/dev/null`
  const spec = shellJob(empty, script)
  const { tree } = spec.collect
  return {
    ...spec,
    owner,
    collect: { files: [], ...(tree && { tree: { ...tree, maxBytes: 16 * 1024 ** 2 } }) },
  }
}
const niceness = async (pid: number) =>
  Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[16])
const start = async (owner: number, kib: number) => {
  const spec = job(owner, kib)
  await agent.client.start(spec, noInput)
  return agent.client.wait(spec.id)
}
const large = 6 * 1024

/** Holds the lock of an owner, as one of its sandboxes does while it collects. */
async function holding(owner: number): Promise<ChildProcess> {
  const lock = join(agentPaths(agent.dataDir).collectLocks, String(owner))
  const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; exec sleep 100'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  if (holder.stdout) await once(holder.stdout, 'data')
  return holder
}

test('large results of one owner are collected one after another', async () => {
  const holder = await holding(1)
  const waiting = start(1, large)
  const [small, other] = [await start(1, 16), await start(2, large)]
  expect([small.tree?.status, other.tree?.status]).toEqual(['collected', 'collected'])
  expect(await Promise.race([waiting, sleep(300)])).toBeUndefined()
  process.kill(-(holder.pid ?? 0), 'SIGKILL')
  expect((await waiting).tree).toMatchObject({ status: 'collected' })
})

test('large results are copied at a lower priority', async () => {
  const holder = await holding(3)
  const spec = job(3, large)
  await agent.client.start(spec, noInput)
  const shim = await agent.shim(spec.id)
  await waitUntil(async () => (await niceness(shim)) === 10)
  process.kill(-(holder.pid ?? 0), 'SIGKILL')
  expect((await agent.client.wait(spec.id)).tree).toMatchObject({ status: 'collected' })
})
