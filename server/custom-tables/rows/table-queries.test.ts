import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { withTimeLimit } from './row-query-store.ts'
import { TableQueries } from './table-queries.ts'

const { db } = await createTestDatabase()
const query = (value: string) => ({
  companyId: 'cmp_a',
  tableId: 'tbl_a',
  conditions: [{ operand: { kind: 'field', name: 'a', type: 'text' }, op: 'contains', value } as const],
  limit: 1,
})

test('a company gets two places, and another one gets one even when all are taken', () => {
  const queries = new TableQueries(db)
  const releases = ['a', 'a', 'b', 'b', 'c', 'c'].map((company) => queries.take(company))
  expect(() => queries.take('a')).toThrow('maximum of table queries')
  const last = queries.take('d')
  expect(() => queries.take('d')).toThrow('maximum of table queries')
  for (const release of [...releases, last]) release()
  expect(queries.take('a')).toBeTypeOf('function')
})

test('a statement that reads too long ends with its code', async () => {
  const slow = withTimeLimit(db, 50, (trx) => sql`select pg_sleep(5)`.execute(trx))
  await expect(slow).rejects.toMatchObject({ code: '57014' })
  const queries = new TableQueries(db, 1)
  const locked = db.transaction().execute(async (trx) => {
    await sql`lock table custom_table_rows in access exclusive mode`.execute(trx)
    await expect(queries.read(query('x'))).rejects.toMatchObject({ code: 'custom_table_query_too_slow' })
  })
  await locked
})
