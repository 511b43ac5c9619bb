import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { weightDivisors } from './cpu-weight.ts'
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

test('an owner has one weight, however many of its sandboxes compute', async () => {
  const of = (owner: number, script: string) => ({ ...shellJob(empty, script), owner })
  const many = [1, 2, 3].map(() => of(1, 'while :; do :; done'))
  const one = of(2, 'sleep 100')
  for (const spec of [...many, one]) await agent.client.start(spec, Buffer.alloc(0))
  const whole = await weightOf(one.id)
  // Each has a third, and gives up three quarters of it for the time that it has computed.
  for (const { id } of many) await until(async () => (await weightOf(id)) <= Math.round(whole / 12))
  expect(await weightOf(one.id)).toBe(whole)
  for (const { id } of [...many, one]) await agent.client.stop(id)
})

test('sandboxes without an owner divide no weight', () => {
  const sandbox = { owner: undefined, load: 1, usedMs: 0 }
  expect([...weightDivisors([sandbox, { ...sandbox }]).values()]).toEqual([1, 1])
})

test('what rests takes no part of its owner, and has what it would get', () => {
  const [busy, resting, other] = [
    { owner: 1, load: 1, usedMs: 0 },
    { owner: 1, load: 0, usedMs: 0 },
    { owner: 2, load: 0.5, usedMs: 20_000 },
  ]
  expect([...weightDivisors([busy, resting, other]).values()]).toEqual([1, 2, 16])
})
