import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StartPace } from './start-pace.ts'

const startMs = 20
const never = new AbortController().signal
let pace: StartPace

beforeEach(() => {
  vi.useFakeTimers()
  pace = new StartPace()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A start that takes 20 ms once it may begin. Returns how long it waited. */
async function start(company: string): Promise<number> {
  const askedMs = Date.now()
  const end = await pace.begin(company, never)
  const waitedMs = Date.now() - askedMs
  setTimeout(end, startMs)
  return waitedMs
}

const startMany = (company: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => start(company)))

test('a company that is alone never waits', async () => {
  expect(await startMany('a', 100)).toEqual(Array.from({ length: 100 }, () => 0))
})

test('beside another one, the company with more starts begins one at a time, and pauses four times as long', async () => {
  await startMany('quiet', 2)
  const waits = startMany('busy', 8)
  await vi.advanceTimersByTimeAsync(1000)
  // The first four are not yet more than its share, and the fifth has nothing to wait for.
  expect((await waits).map((ms) => ms / (5 * startMs))).toEqual([0, 0, 0, 0, 0, 1, 2, 3])
  expect(await start('quiet')).toBe(0)
})

test('equal companies do not wait', async () => {
  for (let round = 0; round < 50; round += 1) {
    expect(await Promise.all([start('a'), start('b'), start('c')])).toEqual([0, 0, 0])
    await vi.advanceTimersByTimeAsync(5)
  }
})

test('a company waits no longer once the other one has ended its work', async () => {
  await startMany('quiet', 1)
  const waits = startMany('busy', 100)
  await vi.advanceTimersByTimeAsync(4000)
  expect(Math.max(...(await waits))).toBeLessThan(3000)
  expect(await startMany('busy', 10)).toEqual(Array.from({ length: 10 }, () => 0))
})

test('a start that waits for something else does not keep those after it', async () => {
  await startMany('quiet', 2)
  await startMany('busy', 4)
  await pace.begin('busy', never)
  const next = start('busy')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await next).toBe(1500)
})

test('a signal ends the wait, and the next one has its turn', async () => {
  await startMany('quiet', 2)
  await startMany('busy', 5)
  const stop = new AbortController()
  const stopped = pace.begin('busy', stop.signal)
  const next = start('busy')
  stop.abort()
  expect(await stopped).toBeDefined()
  await vi.advanceTimersByTimeAsync(1000)
  expect(await next).toBe(5 * startMs)
})
