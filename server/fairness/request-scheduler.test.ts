import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultSchedulerBounds, RequestScheduler, type ScheduledRequest } from './request-scheduler.ts'

const bounds = { ...defaultSchedulerBounds, atWork: 4, atWorkEach: 1 }
let busyMs: number
let scheduler: RequestScheduler

beforeEach(() => {
  vi.useFakeTimers()
  busyMs = 0
  scheduler = new RequestScheduler(
    bounds,
    () => Date.now(),
    () => busyMs,
  )
})
afterEach(() => {
  vi.useRealTimers()
})

const enter = (company: string, bodyBytes = 0): ScheduledRequest => scheduler.enter(company, bodyBytes)
const isWaiting = ({ granted }: ScheduledRequest): boolean => granted !== true

/** Simulates `ms` of event loop time used by the running requests. */
function work(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
  busyMs += ms
}

test('nothing waits while only one company sends requests', () => {
  for (let count = 0; count < 100; count += 1) {
    expect(enter('a').granted).toBe(true)
    work(10)
  }
})

test('large bodies start one after another, so that other requests wait for one of them at most', async () => {
  const large = Array.from({ length: 3 }, () => enter('a', 1024 ** 2))
  expect(large.map(isWaiting)).toEqual([false, true, true])
  let started = 0
  for (const { granted } of large) void Promise.resolve(granted).then(() => (started += 1))
  for (const expected of [2, 3]) {
    let rounds = 0
    for (; started < expected; rounds += 1) await vi.advanceTimersToNextTimerAsync()
    expect(started).toBe(expected)
    // The event loop accepts one connection in each.
    expect(rounds).toBeGreaterThan(30)
  }
  expect(isWaiting(enter('b'))).toBe(false)
})

test('while two companies are active, each has half of the slots', async () => {
  enter('b').leave()
  const own = Array.from({ length: 3 }, () => enter('a'))
  expect(own.map(isWaiting)).toEqual([false, false, true])
  expect(enter('b').granted).toBe(true)
  own[0]?.leave()
  expect(await own[2]?.granted).toBe(true)
})

test('a company that has used its time waits for new credit, and another one does not', async () => {
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

test('a company whose request waits while another one works pays its part and no more', () => {
  enter('b')
  const small = enter('a')
  work(60)
  small.leave()
  expect(enter('a').granted).toBe(true)
})

test('work that is known to be of a company is charged to it, not to those whose requests run meanwhile', () => {
  enter('b').leave()
  const running = enter('b')
  for (let count = 0; count < 100; count += 1) {
    work(10)
    scheduler.chargeWork('a', 10)
  }
  running.leave()
  expect(enter('b').granted).toBe(true)
  expect(isWaiting(enter('a'))).toBe(true)
})

describe('a part of a long answer', () => {
  let reading: AbortController
  beforeEach(() => {
    reading = new AbortController()
  })
  const sent = async (company: string, ms: number) => {
    let isSent = false
    void scheduler.spend(company, ms, reading.signal).then(() => {
      isSent = true
    })
    await vi.advanceTimersByTimeAsync(0)
    return () => isSent
  }

  test('waits for nothing while its company is alone', async () => {
    for (let count = 0; count < 100; count += 1) expect((await sent('a', bounds.burstMs))()).toBe(true)
  })

  test('waits until its company has paid for it, while others are active', async () => {
    enter('b')
    expect((await sent('a', bounds.burstMs))()).toBe(true)
    const isSent = await sent('a', 9)
    expect(isSent()).toBe(false)
    // Half of the loop's share.
    await vi.advanceTimersByTimeAsync(19)
    expect(isSent()).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(isSent()).toBe(true)
  })

  test('waits no longer once others are not active any more', async () => {
    enter('b').leave()
    await sent('a', bounds.burstMs)
    const isSent = await sent('a', 7 * bounds.burstMs)
    await vi.advanceTimersByTimeAsync(bounds.activeMs)
    expect(isSent()).toBe(false)
    await vi.advanceTimersByTimeAsync(bounds.activeMs)
    expect(isSent()).toBe(true)
  })

  test('waits no longer once its reader has gone', async () => {
    enter('b')
    await sent('a', bounds.burstMs)
    const isSent = await sent('a', bounds.burstMs)
    expect(isSent()).toBe(false)
    reading.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(isSent()).toBe(true)
    expect((await sent('a', bounds.burstMs))()).toBe(true)
  })

  test('keeps its company active while it waits', async () => {
    const othersFor = async (ms: number) => {
      for (const company of ['b', 'c']) enter(company).leave()
      await vi.advanceTimersByTimeAsync(ms)
    }
    await othersFor(0)
    await sent('a', bounds.burstMs)
    // At a third of the loop's share, longer than a company without requests is active.
    const isSent = await sent('a', bounds.activeMs * 2.5 * (bounds.loopShare / 3))
    for (let parts = 0; parts < 10; parts += 1) {
      expect(isSent()).toBe(false)
      await othersFor(bounds.activeMs / 4)
    }
    await othersFor(2)
    expect(isSent()).toBe(true)
  })

  test('is not charged to others when it is used after it was charged', async () => {
    enter('c').leave()
    const running = enter('b')
    for (let count = 0; count < 20; count += 1) {
      for (let parts = 0; parts < 2; parts += 1) await sent('a', 10)
      work(20)
    }
    running.leave()
    expect(enter('b').granted).toBe(true)
  })

  test('that is charged and never used spares others one burst and no more', async () => {
    enter('c').leave()
    for (let count = 0; count < 10; count += 1) await sent('a', bounds.burstMs)
    const running = enter('b')
    work(3 * bounds.burstMs)
    running.leave()
    expect(isWaiting(enter('b'))).toBe(true)
  })

  test('is paid by the requests of its company too', async () => {
    enter('b')
    await sent('a', bounds.burstMs)
    expect(isWaiting(enter('a'))).toBe(true)
  })
})

describe('beside requests of another company that are held', () => {
  let granted: boolean[]
  beforeEach(async () => {
    enter('b').leave()
    const held = Array.from({ length: 20 }, () => enter('a'))
    await vi.advanceTimersByTimeAsync(40 * bounds.heldMs)
    granted = []
    for (const request of held) granted.push(await request.granted)
  })

  test('these have all started', () => {
    expect(granted).toEqual(Array(20).fill(true))
  })

  /** A request of the company that is at work for two bursts of event loop time. */
  function request(company: string) {
    const costly = enter(company)
    work(2 * bounds.burstMs)
    costly.leave()
  }

  test('a company does not pay while they work, and theirs pays for its own', () => {
    scheduler.chargeWork('a', 1)
    for (const company of ['b', 'a']) request(company)
    expect(isWaiting(enter('b'))).toBe(false)
    expect(isWaiting(enter('a'))).toBe(true)
  })

  test('a company pays while they only wait', () => {
    enter('a').leave()
    request('b')
    expect(isWaiting(enter('b'))).toBe(true)
  })
})

test('a request that comes when the credit is there but the timer is late does not keep others waiting', async () => {
  enter('b').leave()
  const costly = enter('a')
  work(2 * bounds.burstMs)
  costly.leave()
  const first = enter('a')
  // The event loop was busy: time has passed, and no timer has fired.
  vi.setSystemTime(Date.now() + 20 * bounds.burstMs)
  const second = enter('a')
  expect([first, second].map(isWaiting)).toEqual([true, true])
  let started = 0
  for (const { granted } of [first, second]) void Promise.resolve(granted).then(() => (started += 1))
  await vi.advanceTimersToNextTimerAsync()
  expect(started).toBe(2)
})

test('a company with expensive requests runs fewer of them at once', () => {
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

test('time is charged by body size', () => {
  enter('c').leave()
  const [large, small] = [enter('a', 1024 ** 2), enter('b')]
  work(3 * bounds.burstMs)
  large.leave()
  small.leave()
  expect(isWaiting(enter('a'))).toBe(true)
  expect(enter('b').granted).toBe(true)
})

test('waiting requests start when the other companies become inactive', async () => {
  enter('b').leave()
  const costly = enter('a')
  work(2 * bounds.burstMs)
  costly.leave()
  const next = enter('a')
  await vi.advanceTimersByTimeAsync(bounds.activeMs + (16 * bounds.burstMs) / bounds.loopShare)
  expect(await next.granted).toBe(true)
  for (let count = 0; count < 10; count += 1) expect(enter('a').granted).toBe(true)
})

test('a debt that many active companies made long is short once they are inactive', async () => {
  const costly = enter('a')
  for (let other = 0; other < 64; other += 1) enter(`b${other}`).leave()
  work(16 * bounds.burstMs)
  costly.leave()
  for (let other = 0; other < 64; other += 1) enter(`b${other}`).leave()
  const next = enter('a')
  expect(isWaiting(next)).toBe(true)
  let isStarted = false
  void Promise.resolve(next.granted).then((granted) => {
    isStarted = granted
  })
  await vi.advanceTimersByTimeAsync(3 * bounds.activeMs)
  expect(isStarted).toBe(true)
})

test('a request that waits for something else gives its slot to another one, unless it waits for the database', async () => {
  enter('b').leave()
  let isAtDatabase = true
  for (let count = 0; count < 2; count += 1) scheduler.enter('a', 0, () => isAtDatabase)
  const next = enter('a')
  for (let seconds = 0; seconds < 10; seconds += 1) {
    await vi.advanceTimersByTimeAsync(bounds.heldMs / 2)
    enter('b').leave()
  }
  let isStarted = false
  void Promise.resolve(next.granted).then((granted) => {
    isStarted = granted
  })
  await vi.advanceTimersByTimeAsync(1)
  expect(isStarted).toBe(false)
  isAtDatabase = false
  await vi.advanceTimersByTimeAsync(bounds.heldMs)
  expect(isStarted).toBe(true)
})

test('a request waits for credit, and not for one of its company that waits for the database', async () => {
  enter('b').leave()
  const costly = enter('a')
  work(2 * bounds.burstMs)
  costly.leave()
  const turns = [scheduler.enter('a', 0, () => true), enter('a')]
  let started = 0
  for (const { granted } of turns) void Promise.resolve(granted).then(() => (started += 1))
  // At the first credit, which is less than what a request of the company usually uses.
  while (started === 0) await vi.advanceTimersToNextTimerAsync()
  expect(started).toBe(1)
  enter('b').leave()
  await vi.advanceTimersByTimeAsync(bounds.burstMs / bounds.loopShare)
  expect(started).toBe(2)
})

test('a request that waits for a slot starts when the other companies become inactive', async () => {
  enter('b').leave()
  for (let count = 0; count < 2; count += 1) scheduler.enter('a', 0, () => true)
  const next = enter('a')
  expect(isWaiting(next)).toBe(true)
  let isStarted = false
  void Promise.resolve(next.granted).then((granted) => {
    isStarted = granted
  })
  // More requests of the company come all the time.
  for (let parts = 0; parts < 5; parts += 1) {
    enter('a')
    await vi.advanceTimersByTimeAsync(bounds.activeMs / 2)
  }
  expect(isStarted).toBe(true)
})

test('a sender that leaves while it waits takes no slot', async () => {
  enter('b').leave()
  const [first, second] = [enter('a'), enter('a')]
  const [gone, next] = [enter('a'), enter('a')]
  gone.leave()
  expect(await gone.granted).toBe(false)
  first.leave()
  expect(await next.granted).toBe(true)
  // Calling it twice has no further effect.
  first.leave()
  expect(isWaiting(enter('a'))).toBe(true)
  second.leave()
})

test('a request that takes long releases its slot', async () => {
  enter('b').leave()
  enter('a')
  enter('a')
  const waiting = enter('a')
  expect(isWaiting(waiting)).toBe(true)
  await vi.advanceTimersByTimeAsync(bounds.heldMs)
  expect(await waiting.granted).toBe(true)
})

test('a company with a small debt does not wait for one with a large debt', async () => {
  for (const [company, usedMs] of [
    ['a', 4 * bounds.burstMs],
    ['b', 1.1 * bounds.burstMs],
  ] as const) {
    enter('c').leave()
    const costly = enter(company)
    work(usedMs)
    costly.leave()
  }
  const [deep, shallow] = [enter('a'), enter('b')]
  expect([deep, shallow].map(isWaiting)).toEqual([true, true])
  let started = ''
  void Promise.resolve(deep.granted).then(() => {
    started += 'a'
  })
  void Promise.resolve(shallow.granted).then(() => {
    started += 'b'
  })
  while (started === '') await vi.advanceTimersByTimeAsync(10)
  expect(started).toBe('b')
})
