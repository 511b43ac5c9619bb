import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import { CpuWeights } from './cpu-weight.ts'

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

/** On a busy machine it takes a while until they have computed for long. */
const long = { timeoutMs: 90_000 }

/** The weight of a control group, in either version. */
const weightIn = async (parent: string, name: string): Promise<number> => {
  const old = join('/sys/fs/cgroup/cpu', parent, name, 'cpu.shares')
  const text = await readFile(old, 'utf8').catch(() =>
    readFile(join('/sys/fs/cgroup', parent, name, 'cpu.weight'), 'utf8'),
  )
  return Number(text)
}
const weightOf = (id: string) => weightIn(agent.cgroup, id)

test('a sandbox that computes for long has less weight than a new one', async () => {
  const computing = shellJob(empty, 'while :; do :; done', long)
  const resting = shellJob(empty, 'sleep 100', long)
  for (const spec of [computing, resting]) await agent.client.start(spec, noInput)
  const whole = await weightOf(resting.id)
  await waitUntil(async () => (await weightOf(computing.id)) === Math.round(whole / 4))
  expect(await weightOf(resting.id)).toBe(whole)
  for (const { id } of [computing, resting]) await agent.client.stop(id)
})

test('an owner has one weight, however many of its sandboxes compute', async () => {
  const of = (owner: number, script: string) => ({ ...shellJob(empty, script, long), owner })
  const many = [1, 2, 3].map(() => of(1, 'while :; do :; done'))
  const one = of(2, 'sleep 100')
  for (const spec of [...many, one]) await agent.client.start(spec, noInput)
  const whole = await weightOf(one.id)
  // Each has a third, divided by four for its processor time.
  for (const { id } of many) await waitUntil(async () => (await weightOf(id)) <= Math.round(whole / 12))
  const next = of(1, 'sleep 100')
  await agent.client.start(next, noInput)
  expect(await weightOf(next.id)).toBeLessThanOrEqual(Math.round(whole / 4))
  expect(await weightOf(one.id)).toBe(whole)
  for (const { id } of [...many, one, next]) await agent.client.stop(id)
})

/** Paths of the control groups of a sandbox's shim, from the agent's on. */
const groupsOfShim = async (id: string): Promise<string[]> => {
  const text = await readFile(`/proc/${await agent.shim(id)}/cgroup`, 'utf8')
  return text.split('\n').flatMap((line) => /[^/]*sandbox-jobs-test-.*/.exec(line)?.[0] ?? [])
}

test('the shims of an owner share the weight of one group, and no limit of a sandbox', async () => {
  const of = (owner: number | undefined, script: string) => {
    const job = shellJob(empty, script, long)
    return owner === undefined ? job : { ...job, owner }
  }
  const [one, next, other, nobody] = [
    of(3, 'while :; do :; done'),
    of(3, 'sleep 100'),
    of(4, 'sleep 100'),
    of(undefined, 'sleep 100'),
  ]
  const all = [one, next, other, nobody]
  for (const spec of all) await agent.client.start(spec, noInput)
  const groups = await Promise.all(all.map(({ id }) => groupsOfShim(id)))
  const shims = `${agent.cgroup}-shims`
  expect(groups).toEqual([[`${shims}/3`], [`${shims}/3`], [`${shims}/4`], [`${shims}/0`]])
  const whole = await weightIn(shims, '4')
  await waitUntil(async () => (await weightIn(shims, '3')) === Math.round(whole / 4))
  expect(await weightIn(shims, '4')).toBe(whole)
  for (const { id } of all) await agent.client.stop(id)
})

test('all sandboxes have the weights of their owners together', async () => {
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
  const of = (owner: number, script: string) => ({ ...shellJob(empty, script, long), owner })
  const start = async (spec: SandboxSpec) => {
    await agent.client.start(spec, noInput)
    return Promise.all([agent.cgroup, `${agent.cgroup}-shims`].map((parent) => weightIn(parent, '')))
  }
  const [computing, resting] = [of(5, 'while :; do :; done'), of(6, 'sleep 100')]
  const [whole = 0] = await start(computing)
  await waitUntil(async () => (await weightIn(agent.cgroup, '')) === whole / 4)
  // The second sandbox of an owner adds nothing.
  expect(await start(of(5, 'sleep 100'))).toEqual([whole / 4, whole / 4])
  expect(await start(resting)).toEqual([whole * 1.25, whole * 1.25])
  for (const { id } of await agent.client.list()) await agent.client.stop(id)
})

const computing = { owner: 1, load: 1, usedMs: 0, lastUsedMs: 250 }

test('sandboxes without an owner do not share a weight', () => {
  const weights = new CpuWeights()
  const alone = { ...computing, owner: undefined }
  weights.update([alone, { ...alone }], 250)
  expect(weights.divisorOf(alone)).toBe(1)
  expect(weights.divisorOf({ ...alone, usedMs: 20_000 })).toBe(16)
})

test('an idle sandbox takes no share of its owner, and has the weight that it would get', () => {
  const weights = new CpuWeights()
  const resting = { ...computing, load: 0, lastUsedMs: 0 }
  weights.update([computing, resting], 250)
  expect([computing, resting].map((sandbox) => weights.divisorOf(sandbox))).toEqual([1, 2])
})

test('recent use of an owner lowers the weight of its new sandboxes, until it has decayed', () => {
  const weights = new CpuWeights()
  for (let looks = 0; looks < 8; looks += 1) weights.update([computing], 250)
  const next = { ...computing, load: 0 }
  expect(weights.divisorOf(next)).toBe(8)
  expect(weights.divisorOf({ ...next, owner: 2 })).toBe(1)
  weights.update([], 60_000)
  expect(weights.divisorOf(next)).toBe(1)
})

test('owners with much recent use have less weight together than one without', () => {
  const weights = new CpuWeights()
  for (let looks = 0; looks < 8; looks += 1) weights.update([computing], 250)
  expect(weights.shareOf([1])).toBe(1 / 4)
  expect(weights.shareOf([1, 2, undefined])).toBe(2.25)
})
