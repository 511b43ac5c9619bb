import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createLog } from '../base/logging.ts'
import { startTicker, type Ticker } from './ticker.ts'

const log = createLog('test', 'silent')

test('a tick that fails is followed by another', async () => {
  let ticks = 0
  await new Promise<void>((resolve) => {
    const ticker: Ticker = startTicker({
      name: 'test',
      intervalMs: 1,
      log,
      tick: async () => {
        ticks += 1
        if (ticks === 1) throw new Error('outage')
        resolve(ticker.stop())
      },
    })
  })
  expect(ticks).toBe(2)
})

test('stopping waits for the tick under way and starts no other', async () => {
  const ticks: string[] = []
  const held = Promise.withResolvers<void>()
  const ticker = startTicker({
    name: 'test',
    intervalMs: 1,
    log,
    tick: async (signal) => {
      ticks.push('started')
      await held.promise
      ticks.push(signal.aborted ? 'stopped' : 'ended')
    },
  })
  const stopped = ticker.stop()
  held.resolve()
  await stopped
  expect(ticks).toEqual(['started', 'stopped'])
})

test('without an interval it ticks only when it is woken', async () => {
  let ticks = 0
  const tick = async () => {
    ticks += 1
  }
  const ticker = startTicker({ name: 'test', log, tick })
  await eventually(() => expect(ticks).toBe(1))
  ticker.wake()
  await eventually(() => expect(ticks).toBe(2))
  await ticker.stop()
})

test('being woken often during a tick makes for one more', async () => {
  let ticks = 0
  const held = Promise.withResolvers<void>()
  const ticker = startTicker({
    name: 'test',
    log,
    tick: async () => {
      ticks += 1
      await held.promise
    },
  })
  ticker.wake()
  ticker.wake()
  held.resolve()
  await eventually(() => expect(ticks).toBe(2))
  await ticker.stop()
  expect(ticks).toBe(2)
})
