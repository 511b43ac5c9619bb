import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { endSandboxes } from './end-sandboxes.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await TestAgent.start()
})
afterAll(() => agent.dispose())

test('sandboxes that outlive their agent are ended, and the next one reports them as lost', async () => {
  const spec = shellJob(await agent.image(), 'sleep 100')
  await agent.client.start(spec, noInput)
  const shim = await agent.shim(spec.id)
  await agent.end('SIGTERM')
  expect(existsSync(`/proc/${shim}`)).toBe(true)
  expect(await endSandboxes(agent.dataDir, agent.cgroup)).toBe(1)
  await waitUntil(() => Promise.resolve(!existsSync(`/proc/${shim}`)))
  expect(await endSandboxes(agent.dataDir, agent.cgroup)).toBe(0)
  await agent.start()
  expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'lost' })
})
