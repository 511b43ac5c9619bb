import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { readAuditLog, recordAuditEntry } from './audit-log.ts'

const { db } = await createTestDatabase()

/** Changes the log with the rights of the database owner. */
const forge = (change: string) =>
  db.transaction().execute(async (trx) => {
    await sql`alter table operator_acts disable trigger user`.execute(trx)
    await sql.raw(change).execute(trx)
    await sql`alter table operator_acts enable trigger user`.execute(trx)
  })

beforeEach(async () => {
  await forge('delete from operator_acts')
  for (const subject of ['a', 'b', 'c']) {
    await recordAuditEntry(
      db,
      { act: 'image_block', subject, details: { reason: 'a CVE', at: 1.5 } },
      'grace',
    )
  }
})

it('an entry is read as it was recorded, with the account of the operator', async () => {
  const { items, broken_at } = await readAuditLog(db, 2)
  expect(items.map(({ subject }) => subject)).toEqual(['c', 'b'])
  expect(items[0]).toMatchObject({
    sequence: 3,
    account: 'grace',
    act: 'image_block',
    details: { reason: 'a CVE', at: 1.5 },
  })
  expect(broken_at).toBeNull()
})

it('concurrent entries have distinct numbers', async () => {
  const acts = Array.from({ length: 8 }, (_, at) =>
    recordAuditEntry(db, { act: 'image_unblock', subject: String(at) }, 'grace'),
  )
  await Promise.all(acts)
  const { items, broken_at } = await readAuditLog(db, 100)
  expect(items.map(({ sequence }) => sequence)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect(broken_at).toBeNull()
})

it('no connection of the service can change the log', async () => {
  for (const change of [
    "update operator_acts set subject = 'x'",
    'delete from operator_acts',
    'truncate operator_acts',
  ]) {
    await expect(sql.raw(change).execute(db)).rejects.toThrow('only ever added to')
  }
})

it.each([
  ['a changed subject', "update operator_acts set subject = 'x' where sequence = 2", 2],
  ['a changed account', "update operator_acts set account = 'x' where sequence = 3", 3],
  ['a deleted entry', 'delete from operator_acts where sequence = 2', 3],
  ['deleted first entries', 'delete from operator_acts where sequence < 3', 3],
  ['an entry with a forged hash', "update operator_acts set hash = repeat('0', 64) where sequence = 1", 1],
])('%s is detected', async (_what, change, brokenAt) => {
  await forge(change)
  expect(await readAuditLog(db, 1)).toMatchObject({ broken_at: brokenAt })
})
