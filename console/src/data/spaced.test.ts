import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { spaced } from './spaced.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the first call is made at once, and all that follow soon are one call', () => {
  const call = vi.fn<() => void>()
  const wanted = spaced(call, 1000)
  for (let times = 0; times < 50; times++) wanted()
  expect(call).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1000)
  expect(call).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(5000)
  expect(call).toHaveBeenCalledTimes(2)
})

test('after a pause the next call is made at once again', () => {
  const call = vi.fn<() => void>()
  const wanted = spaced(call, 1000)
  wanted()
  vi.advanceTimersByTime(1000)
  wanted()
  expect(call).toHaveBeenCalledTimes(2)
})
