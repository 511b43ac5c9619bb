import { afterAll, beforeAll } from 'vitest'
import { busybox, TestAgent } from '../../../testing/agent/test-agent.ts'
import { executorConformance } from '../../../testing/executor-conformance/executor-conformance.ts'
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
    echo: [busybox, 'sh', '-c', 'tee output.json; exit 3'],
    endless: [busybox, 'sleep', '1000'],
  }))
}
