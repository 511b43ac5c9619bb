import { afterAll, beforeAll } from 'vitest'
import { executorConformance } from '../conformance.ts'
import { busybox, TestAgent } from './test-agent.ts'

let agent: TestAgent
let digest: string

beforeAll(async () => {
  agent = await TestAgent.start()
  digest = await agent.image([[{ name: 'image' }, 'of its own']])
}, 60_000)
afterAll(() => agent.dispose(), 60_000)

executorConformance('the host agent with crun', () => ({
  executor: agent.client,
  digest,
  echo: [busybox, 'sh', '-c', 'tee output.json; exit 3'],
  endless: [busybox, 'sleep', '1000'],
}))
