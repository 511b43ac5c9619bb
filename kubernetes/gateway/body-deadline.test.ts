import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BodyDeadline } from './body-deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A body of that length, what reads it, and how that ends. */
function bodyOf(bytes: number) {
  const source = new PassThrough()
  const deadline = new BodyDeadline(source, bytes)
  const read = buffer(deadline.body)
  read.catch(() => {})
  return { source, deadline, read }
}

test('a body that stalls is not waited for', async () => {
  const { source, deadline, read } = bodyOf(10)
  source.write('12345')
  await vi.advanceTimersByTimeAsync(14_000)
  expect(deadline.isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(2000)
  await expect(read).rejects.toMatchObject({ status: 408, code: 'too_slow' })
})

test('a body that comes byte by byte has an end', async () => {
  const { source, read } = bodyOf(100)
  for (let second = 0; second < 31; second += 10) {
    source.write('x')
    await vi.advanceTimersByTimeAsync(10_000)
  }
  await expect(read).rejects.toMatchObject({ code: 'too_slow' })
})

test('a large body has time by its length', async () => {
  const { source, deadline } = bodyOf(64 * 1024 * 60)
  for (let second = 0; second < 80; second += 10) {
    source.write('x')
    await vi.advanceTimersByTimeAsync(10_000)
  }
  expect(deadline.isOver).toBe(false)
  deadline.end()
})

test.each(['1234', '123456'])(
  'a body %s of five bytes has another length than its head says',
  async (text) => {
    const { source, read } = bodyOf(5)
    source.end(text)
    await expect(read).rejects.toMatchObject({ status: 400 })
  },
)

test('a whole body is read, however long its reader takes for it', async () => {
  const { source, deadline, read } = bodyOf(5)
  source.end('12345')
  expect((await read).toString()).toBe('12345')
  await vi.advanceTimersByTimeAsync(600_000)
  expect(deadline.isOver).toBe(false)
})
