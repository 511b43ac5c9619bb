import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { heldAnswer } from './held-answer.ts'

const heldMs = 1000
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('one answer is made at a time, however long it takes, and given for a while after it is there', async () => {
  const made: PromiseWithResolvers<number>[] = []
  const read = heldAnswer(heldMs, () => {
    const next = Promise.withResolvers<number>()
    made.push(next)
    return next.promise
  })
  const first = [read(), read()]
  await vi.advanceTimersByTimeAsync(10 * heldMs)
  first.push(read())
  made[0]?.resolve(1)
  expect(await Promise.all(first)).toEqual([1, 1, 1])
  await vi.advanceTimersByTimeAsync(heldMs - 1)
  expect(await read()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  const second = read()
  made[1]?.resolve(2)
  expect(await second).toBe(2)
  expect(made).toHaveLength(2)
})

test('a failure is not given again', async () => {
  let tries = 0
  const read = heldAnswer(heldMs, async () => {
    tries += 1
    if (tries === 1) throw new Error('no answer')
    return tries
  })
  await expect(read()).rejects.toThrow('no answer')
  expect(await read()).toBe(2)
})
