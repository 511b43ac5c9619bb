import { afterAll, expect, it } from 'vitest'
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
