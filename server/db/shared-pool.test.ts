import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { inRequest, nameCompany, onBehalfOf } from '../base/current-request.ts'
import { createLog } from '../base/logging.ts'
import { connect, isDatabaseUnavailable } from './database.ts'

const { url } = await createTestDatabase()
const log = createLog('test', 'silent')
const db = connect(url, { poolSize: 6, log, name: 'shares', waitMs: 300 })
const other = connect(url, { poolSize: 1, log, name: 'holder' })
afterAll(() => Promise.all([db.destroy(), other.destroy()]))

const lock = sql`select pg_advisory_xact_lock(7)`

/** Holds the lock until the returned function is called. */
async function holdLock(): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended = other.transaction().execute(async (trx) => {
    await lock.execute(trx)
    held.resolve()
    await promise
  })
  await held.promise
  return () => {
    resolve()
    return ended
  }
}

it('lets one company wait for locks with a part of the connections, and the next one work', async () => {
  const release = await holdLock()
  const waiting = Array.from({ length: 50 }, () => onBehalfOf('one', () => lock.execute(db)))
  const outcomes = Promise.allSettled(waiting)
  const { rows } = await onBehalfOf('two', () => sql`select 1 as here`.execute(db))
  expect(rows).toEqual([{ here: 1 }])
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason)
  // Some waited for the lock, some for a connection: nothing waits longer than the bound.
  expect(reasons.filter(({ code }) => code === '55P03').length).toBeGreaterThanOrEqual(4)
  expect(reasons.every(isDatabaseUnavailable)).toBe(true)
  await release()
  await onBehalfOf('one', () => lock.execute(db))
})

it('counts the work of a request as that of its company once that is known', async () => {
  const release = await holdLock()
  const outcomes = Promise.allSettled(
    Array.from({ length: 50 }, (_, at) =>
      inRequest(`request-${at}`, () => {
        nameCompany('one')
        return lock.execute(db)
      }),
    ),
  )
  await inRequest('other', () => sql`select 1`.execute(db))
  await sql`select 1`.execute(db)
  await release()
  await outcomes
})

it('gives a connection back when a statement fails', async () => {
  for (let at = 0; at < 20; at += 1)
    await expect(onBehalfOf('one', () => sql`select broken`.execute(db))).rejects.toThrow('broken')
  await onBehalfOf('one', () => sql`select 1`.execute(db))
})
