import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { sleep, systemClock } from '../../../server/base/clock.ts'
import { shellJob } from '../../../testing/agent/test-agent.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import type { MadeSandbox } from './made-sandbox.ts'
import { WarmPool, type WarmPoolOptions } from './warm-pool.ts'

const never = new Promise<void>(() => undefined)
const madeOf = ({ argv }: SandboxSpec): MadeSandbox => ({
  name: argv.join(' '),
  folder: '/nowhere',
  idBase: 0,
  shim: {
    lived: Promise.resolve(true),
    ...{ running: never, ended: never, gone: never, isRunning: () => false, hasEnded: () => false },
  },
  input: new PassThrough(),
})

function poolOf(options: Partial<WarmPoolOptions>): WarmPool {
  const pool = new WarmPool({
    limit: 1,
    freeSlots: () => 1,
    make: async (spec) => madeOf(spec),
    destroy: async () => undefined,
    clock: systemClock,
    onError: (error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

const specOf = (name: string, owner?: number): SandboxSpec => ({
  ...shellJob(`sha256:${'0'.repeat(64)}`, name),
  ...(owner === undefined ? {} : { owner }),
})

test('starts in quick succession do not prevent warm sandboxes from being made', async () => {
  const pool = poolOf({ refillDelayMs: 40 })
  const spec = specOf('true')
  let taken: MadeSandbox | undefined
  for (; !taken; taken = pool.take(spec)) await sleep(1)
  expect(taken.name).toBe(madeOf(spec).name)
})

test('an owner with frequent starts leaves another one the warm sandboxes of its own starts', async () => {
  const pool = poolOf({ limit: 4, refillDelayMs: 1, make: async (spec) => sleep(1).then(() => madeOf(spec)) })
  const [frequent, rare] = [specOf('frequent', 1), specOf('rare', 2)]
  for (let start = 0; start < 2; start += 1) pool.take(rare)
  for (let round = 0; round < 3; round += 1) {
    for (let start = 0; start < 50; start += 1) {
      pool.take(frequent)
      await sleep(2)
    }
    expect(pool.take(rare)).toBeDefined()
  }
})

test('of two owners with as many sandboxes the one that was started last gets the last place', async () => {
  const pool = poolOf({ limit: 1, refillDelayMs: 1 })
  const [first, second] = [specOf('first', 1), specOf('second', 2)]
  for (const spec of [first, second, first]) {
    for (let start = 0; start < 2; start += 1) pool.take(spec)
    await sleep(50)
    expect(pool.size).toBe(1)
  }
  expect(pool.take(second)).toBeUndefined()
  expect(pool.take(first)).toBeDefined()
})
