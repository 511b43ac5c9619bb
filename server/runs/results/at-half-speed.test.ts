import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atHalfSpeed, withRests } from './at-half-speed.ts'

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

test('a large result passes unchanged, and takes at least twice as long as its source', async () => {
  const { bytes, tookMs } = await passed(4, mib)
  expect(bytes.equals(Buffer.concat(await Array.fromAsync(slowBytes(4, mib))))).toBe(true)
  // Timers may fire a millisecond early.
  expect(tookMs).toBeGreaterThan(4 * 2 * (takingMs - 2))
})

test('a small result is passed on as it is', () => {
  const body = Readable.from(slowBytes(1, mib / 2))
  expect(atHalfSpeed(body, mib / 2)).toBe(body)
})
