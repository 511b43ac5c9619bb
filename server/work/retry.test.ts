import { expect, test } from 'vitest'
import { createLog } from '../base/logging.ts'
import { type RetryPolicy, retry, untilAnswered, WorkerStopping } from './retry.ts'

const log = createLog('test', 'silent')
const never = new AbortController().signal

/** Fails so many times; answers what it paused between. */
function failing(times: number) {
  const pauses: number[] = []
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries <= times) throw new Error(`try ${tries}`)
    return tries
  }
  const pause = async (ms: number) => void pauses.push(ms)
  return { pauses, work, pause }
}

test('it pauses twice as long each time, up to a bound, until it works', async () => {
  const { pauses, work, pause } = failing(6)
  expect(await retry('test', work, { policy: untilAnswered, signal: never, log, pause })).toBe(7)
  expect(pauses).toEqual([50, 100, 200, 400, 500, 500])
})

test('it gives up with the last error after its time in pauses', async () => {
  const { pauses, work, pause } = failing(9)
  const policy: RetryPolicy = { ...untilAnswered, giveUpAfterMs: () => 150 }
  await expect(retry('test', work, { policy, signal: never, log, pause })).rejects.toThrow('try 3')
  expect(pauses).toEqual([50, 100])
})

test('it tries once what another try cannot change', async () => {
  const { pauses, work, pause } = failing(1)
  const policy: RetryPolicy = { ...untilAnswered, giveUpAfterMs: () => 0 }
  await expect(retry('test', work, { policy, signal: never, log, pause })).rejects.toThrow('try 1')
  expect(pauses).toEqual([])
})

test('it ends with the reason of the signal, whatever the last try threw', async () => {
  const stopping = new AbortController()
  const work = async () => {
    stopping.abort(new WorkerStopping())
    throw new Error('cut off')
  }
  const { signal } = stopping
  await expect(retry('test', work, { policy: untilAnswered, signal, log })).rejects.toThrow(WorkerStopping)
})
