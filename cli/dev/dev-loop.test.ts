import { expect, test, vi } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Session } from '../session/session.ts'
import { DevLoop } from './dev-loop.ts'

const shown = { failure: vi.fn<() => void>(), progress: vi.fn<() => void>() }
const session = { report: shown, url: 'http://service' } as unknown as Session

/** Attempts that wait until they are cancelled or ended. */
function held() {
  const attempts: { end(): void; wasCancelled: boolean }[] = []
  const loop = new DevLoop(session, async (started) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const attempt = { end: resolve, wasCancelled: false }
    attempts.push(attempt)
    started(async () => {
      attempt.wasCancelled = true
      reject(new Error('cancelled'))
    })
    await promise
  })
  return { loop, attempts }
}
const count = (attempts: unknown[], length: number) => eventually(() => expect(attempts).toHaveLength(length))

test('a save cancels the attempt under way, and many saves make one attempt', async () => {
  const { loop, attempts } = held()
  loop.request()
  await count(attempts, 1)
  for (let saves = 0; saves < 5; saves += 1) loop.request()
  await count(attempts, 2)
  expect(attempts.map(({ wasCancelled }) => wasCancelled)).toEqual([true, false])
  expect(shown.failure).not.toHaveBeenCalled()
  await loop.stop()
  expect(attempts).toMatchObject([{ wasCancelled: true }, { wasCancelled: true }])
})

test('a save after the end makes the next attempt, and one before there is something to cancel as well', async () => {
  let made = 0
  const cancelled: number[] = []
  const loop = new DevLoop(session, async (started) => {
    made += 1
    const number = made
    if (number === 2) loop.request()
    started(async () => cancelled.push(number))
  })
  loop.request()
  await eventually(() => expect(made).toBe(1))
  await loop.stop()
  loop.request()
  await eventually(() => expect(made).toBe(3))
  expect(cancelled).toContain(2)
})

test('a failed attempt is shown, and the next one is made', async () => {
  shown.failure.mockClear()
  let made = 0
  const loop = new DevLoop(session, async () => {
    made += 1
    throw new Error('no')
  })
  loop.request()
  await eventually(() => expect(shown.failure).toHaveBeenCalledTimes(1))
  await loop.stop()
  loop.request()
  await eventually(() => expect(made).toBe(2))
})
