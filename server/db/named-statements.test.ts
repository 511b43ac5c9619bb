import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'

const { db } = await createTestDatabase()

test('a statement with parameters is planned once a connection, one without is not named', async () => {
  await db.connection().execute(async (one) => {
    for (const name of ['a', 'b', 'c'])
      await one.selectFrom('companies').selectAll().where('name', '=', name).execute()
    await sql`select 1`.execute(one)
    const { rows } = await sql<{ statement: string; calls: number }>`
      select statement, generic_plans + custom_plans as calls from pg_prepared_statements
    `.execute(one)
    expect(rows).toEqual([{ statement: expect.stringContaining('from "companies"'), calls: 3 }])
  })
})
