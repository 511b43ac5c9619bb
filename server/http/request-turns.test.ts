import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defaultTurnBounds, RequestTurns, type Turn } from './request-turns.ts'

const bounds = { ...defaultTurnBounds, atWork: 4, atWorkEach: 1 }
let busyMs: number
let turns: RequestTurns

beforeEach(() => {
  vi.useFakeTimers()
  busyMs = 0
  turns = new RequestTurns(
    bounds,
    () => Date.now(),
    () => busyMs,
  )
})
afterEach(() => {
  vi.useRealTimers()
})

const enter = (company: string, bodyBytes = 0): Turn => turns.enter(company, bodyBytes)
const isWaiting = ({ granted }: Turn): boolean => granted !== true

/** The event loop works for so long on what is at work now. */
function work(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
  busyMs += ms
}

test('nothing waits while one company asks alone', () => {
  for (let count = 0; count < 100; count += 1) {
    expect(enter('a').granted).toBe(true)
    work(10)
  }
})

test('while two companies ask, each has half of the places', async () => {
  enter('b').leave()
  const own = Array.from({ length: 3 }, () => enter('a'))
  expect(own.map(isWaiting)).toEqual([false, false, true])
  expect(enter('b').granted).toBe(true)
  own[0]?.leave()
  expect(await own[2]?.granted).toBe(true)
})

test('a company that has used its time waits until it has some again, and another one does not', async () => {
  enter('b').leave()
  const costly = enter('a')
  work(2 * bounds.burstMs)
  costly.leave()
  const next = enter('a')
  expect(isWaiting(next)).toBe(true)
  expect(enter('b').granted).toBe(true)
  // A debt of at most eight bursts, at half of the loop's share.
  await vi.advanceTimersByTimeAsync((16 * bounds.burstMs) / bounds.loopShare + 2)
  expect(await next.granted).toBe(true)
})

test('a company whose requests are costly has fewer of them at work at once', () => {
  enter('b').leave()
  for (let count = 0; count < 20; count += 1) {
    const costly = enter('a')
    work(1.5 * bounds.burstMs)
    costly.leave()
    vi.setSystemTime(Date.now() + 900)
    enter('b').leave()
    vi.setSystemTime(Date.now() + 900)
    enter('b').leave()
  }
  expect(enter('a').granted).toBe(true)
  expect(isWaiting(enter('a'))).toBe(true)
})

test('time is charged by the sizes of bodies', () => {
  enter('c').leave()
  const [large, small] = [enter('a', 1024 ** 2), enter('b')]
  work(3 * bounds.burstMs)
  large.leave()
  small.leave()
  expect(isWaiting(enter('a'))).toBe(true)
  expect(enter('b').granted).toBe(true)
})

test('what waits alone goes on when the others have stopped asking', async () => {
  enter('b').leave()
  const costly = enter('a')
  work(2 * bounds.burstMs)
  costly.leave()
  const next = enter('a')
  await vi.advanceTimersByTimeAsync(bounds.activeMs + (16 * bounds.burstMs) / bounds.loopShare)
  expect(await next.granted).toBe(true)
  for (let count = 0; count < 10; count += 1) expect(enter('a').granted).toBe(true)
})

test('a sender who leaves while it waits takes no place', async () => {
  enter('b').leave()
  const [first, second] = [enter('a'), enter('a')]
  const [gone, next] = [enter('a'), enter('a')]
  gone.leave()
  expect(await gone.granted).toBe(false)
  first.leave()
  expect(await next.granted).toBe(true)
  // Twice is once.
  first.leave()
  expect(isWaiting(enter('a'))).toBe(true)
  second.leave()
})

test('a request that takes long gives its place to another one', async () => {
  enter('b').leave()
  enter('a')
  enter('a')
  const waiting = enter('a')
  expect(isWaiting(waiting)).toBe(true)
  await vi.advanceTimersByTimeAsync(bounds.heldMs)
  expect(await waiting.granted).toBe(true)
})
