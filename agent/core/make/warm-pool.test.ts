import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { sleep, systemClock } from '../../../server/base/clock.ts'
import { shellJob } from '../../../testing/agent/test-agent.ts'
import type { MadeSandbox } from './made-sandbox.ts'
import { WarmPool } from './warm-pool.ts'

const never = new Promise<void>(() => undefined)
const waiting: MadeSandbox = {
  name: 'warm_1',
  folder: '/nowhere',
  idBase: 0,
  shim: {
    lived: Promise.resolve(true),
    ...{ running: never, ended: never, gone: never, isRunning: () => false, hasEnded: () => false },
  },
  input: new PassThrough(),
}

test('starts in quick succession do not prevent warm sandboxes from being made', async () => {
  const spec = shellJob(`sha256:${'0'.repeat(64)}`, 'true')
  const pool = new WarmPool({
    limit: 1,
    freeSlots: () => 1,
    make: async () => waiting,
    destroy: async () => undefined,
    clock: systemClock,
    onError: (error) => {
      throw error
    },
    refillDelayMs: 40,
  })
  try {
    let taken: MadeSandbox | undefined
    for (; !taken; taken = pool.take(spec)) await sleep(1)
    expect(taken).toBe(waiting)
  } finally {
    await pool.close()
  }
})
