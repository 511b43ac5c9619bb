import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { executePlannedOnce } from './planned-once.ts'

const { db } = await createTestDatabase()

test('a statement with parameters is planned once per connection, one without is not named', async () => {
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

test('a planned-once statement has a plan without parameters, and the given values', async () => {
  await db.connection().execute(async (one) => {
    const given = ["it's \\ $1", 7, ['a"b', "c'd"]] as const
    const statement = sql<unknown>`select ${given[0]} as "text", ${given[1]} + 0 as "number", ${given[2]}::text[] as "list"`
    for (let round = 0; round < 7; round += 1) {
      expect(await executePlannedOnce(one, statement)).toEqual([
        { text: given[0], number: given[1], list: given[2] },
      ])
    }
    const { rows } = await sql`
      select custom_plans::int, generic_plans::int from pg_prepared_statements where statement like '%planned once%'
    `.execute(one)
    expect(rows).toEqual([{ custom_plans: 0, generic_plans: 7 }])
    await expect(executePlannedOnce(one, sql`select ${null}`)).rejects.toThrow('no literal form')
  })
})

test('a planned-once statement has a plan, however many other statements have names already', async () => {
  await db.connection().execute(async (one) => {
    for (let other = 0; other < 450; other += 1) {
      await sql`select ${other}::int as ${sql.ref(`other_${other}`)}`.execute(one)
    }
    await executePlannedOnce(one, sql`select ${'late'} as kept`)
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      one,
    )
    expect(rows.filter(({ statement }) => statement.includes('as kept'))).toHaveLength(1)
    expect(rows.length).toBeLessThan(450)
  })
})
