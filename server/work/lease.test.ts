import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/logging.ts'
import { renewEveryMsDefault } from './executor-lease.ts'
import { heartbeatSeconds } from './heartbeat-statement.ts'
import { keepLease } from './lease.ts'

afterEach(() => vi.useRealTimers())

test('two renewals that are never answered leave time for another one within the lease of an executor', async () => {
  vi.useFakeTimers()
  const stopping = new AbortController()
  const renew = vi
    .fn<() => Promise<'held' | 'lost'>>()
    .mockResolvedValueOnce('held')
    .mockReturnValue(Promise.withResolvers<'held'>().promise)
  const everyMs = renewEveryMsDefault
  const kept = keepLease({ everyMs, renew, signal: stopping.signal, log: createLog('test', 'silent') })
  await vi.advanceTimersByTimeAsync(everyMs)
  expect(renew).toHaveBeenCalledTimes(1)
  // One that is answered in a second is answered within the lease.
  await vi.advanceTimersByTimeAsync(heartbeatSeconds * 1000 - 1000)
  expect(renew.mock.calls.length).toBeGreaterThanOrEqual(1 + 3)
  stopping.abort()
  await vi.advanceTimersByTimeAsync(everyMs)
  await kept
})

test('a renewal that is never answered is repeated', async () => {
  vi.useFakeTimers()
  const renew = vi
    .fn<() => Promise<'held' | 'lost'>>()
    .mockReturnValueOnce(Promise.withResolvers<'held'>().promise)
    .mockResolvedValueOnce('held')
    .mockResolvedValueOnce('lost')
  const signal = new AbortController().signal
  const kept = keepLease({ everyMs: 1000, renew, signal, log: createLog('test', 'silent') })
  await vi.advanceTimersByTimeAsync(1000 + 5000 + 2 * 1000)
  await kept
  expect(renew).toHaveBeenCalledTimes(3)
})
