import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/logging.ts'
import { keepLease } from './lease.ts'

afterEach(() => vi.useRealTimers())

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
