import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestAgent } from '../../../testing/agent/test-agent.ts'
import { executorConformance } from '../../../testing/executor-conformance/executor-conformance.ts'
import { shellPrograms } from '../../../testing/executor-conformance/shell-programs.ts'
import { sandboxRuntimes } from '../../port/sandbox-spec.ts'

let agent: TestAgent
let digest: string

beforeAll(async () => {
  agent = await TestAgent.start()
  digest = await agent.image([[{ name: 'image' }, 'of its own']])
})
afterAll(() => agent.dispose())

for (const runtime of sandboxRuntimes) {
  executorConformance(`the host agent with ${runtime}`, () => ({
    executor: agent.client,
    runtime,
    digest,
    programs: shellPrograms,
  }))
}

test('the agent reports what its process uses', async () => {
  const first = await agent.client.process()
  const second = await agent.client.process()
  expect(first.residentBytes).toBeGreaterThan(first.heapUsedBytes)
  expect(first.startedAtSeconds * 1000).toBeLessThan(Date.now() + 1000)
  expect(second.startedAtSeconds).toBe(first.startedAtSeconds)
  expect(second.cpuSeconds).toBeGreaterThanOrEqual(first.cpuSeconds)
  expect(Math.min(first.openFiles, first.heapUsedBytes)).toBeGreaterThan(0)
})
