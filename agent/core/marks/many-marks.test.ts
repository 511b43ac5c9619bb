import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TestAgent } from '../../../testing/agent/test-agent.ts'
import { writeManyMarks } from './many-marks.ts'

test('an agent with two million marks starts, and knows each of them', async () => {
  const agent = await TestAgent.start()
  await agent.end('SIGKILL')
  const known = await writeManyMarks(join(agent.dataDir, 'agent/marks'), 2_000_000)
  await agent.start()
  for (const id of known) expect(await agent.client.forbid(id)).toBe(false)
  expect(await agent.client.forbid('run_never_1')).toBe(true)
  await agent.dispose()
})
