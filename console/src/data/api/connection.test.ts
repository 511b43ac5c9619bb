import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connection } from './connection.ts'

beforeEach(() => vi.useFakeTimers({ now: 0 }))
afterEach(() => vi.useRealTimers())

/** A connection to a service that is down, and how often it was tried. */
function toDeadService() {
  const probe = vi.fn<() => Promise<void>>(() => Promise.reject(new TypeError('no answer')))
  return { connection: new Connection(probe), probe }
}

test('a service that does not answer is tried after 1 s, doubling to 30 s', async () => {
  const { connection, probe } = toDeadService()
  connection.failed()
  const waits: number[] = []
  for (let tries = 0; tries < 7; tries++) {
    const state = connection.state.get()
    if (state.isUp) throw new Error('it is up')
    waits.push(state.retryAt - Date.now())
    await vi.advanceTimersToNextTimerAsync()
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000))
  expect(probe).toHaveBeenCalledTimes(7)
})

test('further requests without an answer start no further tries', async () => {
  const { connection, probe } = toDeadService()
  connection.failed()
  connection.failed()
  await vi.advanceTimersByTimeAsync(1000)
  expect(probe).toHaveBeenCalledTimes(1)
})

test('an answer ends the tries, and the next failure waits for 1 s again', async () => {
  const { connection, probe } = toDeadService()
  connection.failed()
  await vi.advanceTimersByTimeAsync(3000)
  connection.answered()
  expect(connection.state.get()).toEqual({ isUp: true })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(probe).toHaveBeenCalledTimes(2)
  connection.failed()
  expect(connection.state.get()).toEqual({ isUp: false, retryAt: Date.now() + 1000 })
})

test('a try that succeeds says that the service is up', async () => {
  const connection = new Connection(async () => undefined)
  const seen = vi.fn<() => void>()
  connection.failed()
  connection.state.subscribe(seen)
  connection.tryNow()
  await vi.waitFor(() => expect(seen).toHaveBeenCalledOnce())
  expect(connection.state.get().isUp).toBe(true)
})
