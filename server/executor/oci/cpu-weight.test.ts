import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, until } from './test-agent.ts'

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

/** The weight of a sandbox, as either version of control groups has it. */
const weightOf = async (id: string): Promise<number> => {
  const old = join('/sys/fs/cgroup/cpu', agent.cgroup, id, 'cpu.shares')
  const text = await readFile(old, 'utf8').catch(() =>
    readFile(join('/sys/fs/cgroup', agent.cgroup, id, 'cpu.weight'), 'utf8'),
  )
  return Number(text)
}

test('a sandbox that computes for long yields to one that has just begun', async () => {
  const computing = shellJob(empty, 'while :; do :; done')
  const resting = shellJob(empty, 'sleep 100')
  for (const spec of [computing, resting]) await agent.client.start(spec, Buffer.alloc(0))
  const whole = await weightOf(resting.id)
  await until(async () => (await weightOf(computing.id)) === Math.round(whole / 4))
  expect(await weightOf(resting.id)).toBe(whole)
  for (const { id } of [computing, resting]) await agent.client.stop(id)
})
