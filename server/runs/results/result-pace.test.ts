import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WorkerStopping } from '../../work/retry.ts'
import { atHalfSpeed, ResultQueue, withRests } from './result-pace.ts'

const mib = 1024 ** 2
const takingMs = 20

async function* slowBytes(count: number, each: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) {
    await sleep(takingMs)
    yield Buffer.alloc(each, at)
  }
}

async function passed(count: number, each: number) {
  const startedMs = performance.now()
  const chunks = await Array.fromAsync(withRests(slowBytes(count, each)))
  return { bytes: Buffer.concat(chunks), tookMs: performance.now() - startedMs }
}

it('a large result passes unchanged, and takes at least twice as long as its source', async () => {
  const { bytes, tookMs } = await passed(4, mib)
  expect(bytes.equals(Buffer.concat(await Array.fromAsync(slowBytes(4, mib))))).toBe(true)
  // Timers may fire a millisecond early.
  expect(tookMs).toBeGreaterThan(4 * 2 * (takingMs - 2))
})

it('a small result is passed on as it is', () => {
  const body = Readable.from(slowBytes(1, mib / 2))
  expect(atHalfSpeed(body, mib / 2)).toBe(body)
})

const large = 4 * 1024 * 1024
const { signal } = new AbortController()

/** Takes a turn and notes when it has it. */
function taking(turns: ResultQueue, company: string, bytes = large, until = signal) {
  const taken = { has: false, end: turns.take(company, bytes, until) }
  void taken.end.then(
    () => {
      taken.has = true
    },
    () => undefined,
  )
  return taken
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('stores large results of one company one after another, in their order', async () => {
  const turns = new ResultQueue()
  const [first, second, third] = [taking(turns, 'a'), taking(turns, 'a'), taking(turns, 'a')]
  await settle()
  expect([first.has, second.has, third.has]).toEqual([true, false, false])
  ;(await first.end)()
  await settle()
  expect([second.has, third.has]).toEqual([true, false])
  ;(await second.end)()
  await settle()
  expect(third.has).toBe(true)
})

it('lets nobody wait for another company, nor for a small result', async () => {
  const turns = new ResultQueue()
  taking(turns, 'a')
  const [other, small] = [taking(turns, 'b'), taking(turns, 'a', large - 1)]
  await settle()
  expect([other.has, small.has]).toEqual([true, true])
})

it('lets go of a run that is left for another worker, and of nothing that waits behind it', async () => {
  const turns = new ResultQueue()
  const leaving = new AbortController()
  const first = taking(turns, 'a')
  const second = taking(turns, 'a', large, leaving.signal)
  const third = taking(turns, 'a')
  leaving.abort(new WorkerStopping())
  await expect(second.end).rejects.toBeInstanceOf(WorkerStopping)
  expect(third.has).toBe(false)
  ;(await first.end)()
  await settle()
  expect(third.has).toBe(true)
})
