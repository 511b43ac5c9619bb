import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { unrecordedTables } from './unrecorded-tables.ts'

const { db } = await createTestDatabase()

test('every table is recorded in the audit log, or says why not', async () => {
  const { rows } = await sql<{ name: string; recorded: boolean }>`
    select relname as name, exists (
      select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'audit_changes'
    ) as recorded
    from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'
    order by relname
  `.execute(db)
  const unrecorded = rows.filter(({ recorded }) => !recorded).map(({ name }) => name)
  expect(unrecorded).toEqual(Object.keys(unrecordedTables).sort())
})
