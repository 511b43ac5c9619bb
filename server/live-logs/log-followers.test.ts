import { Readable } from 'node:stream'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { createLog } from '../base/logging.ts'
import { dropLiveLogs } from './live-log-store.ts'
import { LogFollowers } from './log-followers.ts'
import { DatabaseLogUpdates } from './log-updates.ts'

const { db, url } = await createTestDatabase()
const followers = new LogFollowers(db, new DatabaseLogUpdates({ url, log: createLog('test', 'silent') }))

let hasEnded = false
afterAll(() => {
  hasEnded = true
})
/** A log that nothing is written to. */
const silent = {
  read: async () => ({ id: 'run_silent', company_id: 'com_silent', state: 'running', hasEnded }) as const,
  stored: async () => undefined,
  maxBytes: 1024,
}

it('a follower that leaves a silent log frees its place', async () => {
  const leave = new AbortController()
  const from = { start: 0, signal: leave.signal }
  const places = await Promise.all(Array.from({ length: 32 }, () => followers.follow(silent, from)))
  const pending = places.map((events) => events.next())
  const last = new AbortController()
  const later = { start: 0, signal: last.signal }
  expect(await (await followers.follow(silent, later)).next()).toEqual({ done: true, value: undefined })
  leave.abort()
  for (const next of pending) expect(await next).toEqual({ done: true, value: undefined })
  const next = (await followers.follow(silent, later)).next()
  const isFollowing = await Promise.race([next.then(() => false), dropLiveLogs(db).then(() => true)])
  expect(isFollowing).toBe(true)
  last.abort()
  await next
})

describe('the stored log of work that has ended', () => {
  const pieces = ['one\n', 'two\n', 'three\n']
  const following = (signal: AbortSignal, read = async () => ended) =>
    followers.follow(
      {
        read,
        stored: async () => ({
          byteSize: 14,
          open: async () => Readable.from(pieces.map((text) => Buffer.from(text))),
        }),
        maxBytes: 1024,
      },
      { start: 0, signal },
    )
  const ended = { id: 'run_ended', company_id: 'com_ended', state: 'completed', hasEnded: true } as const

  it('is sent no further to a reader that has gone', async () => {
    const leave = new AbortController()
    const events = await following(leave.signal)
    expect((await events.next()).value).toMatchObject({ event: { text: 'one\n' } })
    leave.abort()
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('is sent to a slow reader while they may read it', async () => {
    let mayRead = true
    const read = async () => {
      if (!mayRead) throw new Error('not any more')
      return ended
    }
    const events = await following(new AbortController().signal, read)
    await events.next()
    mayRead = false
    const nowMs = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs + 3000)
    await expect(events.next()).rejects.toThrow('not any more')
    clock.mockRestore()
  })

  it('is sent to a slow reader for at most as long as a stream may last', async () => {
    const events = await following(new AbortController().signal)
    await events.next()
    const nowMs = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs + 16 * 60_000)
    expect(await events.next()).toEqual({ done: true, value: undefined })
    clock.mockRestore()
  })
})
