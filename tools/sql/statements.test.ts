import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runParts } from '../../server/runs/parts/run-parts.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { formatSql } from './format-sql.ts'
import { leftParts, printedStatements } from './statements.ts'

const { db } = await createTestDatabase()

test.each(Object.entries(printedStatements))('Postgres plans %s as printed', async (_, statements) => {
  for (const { sql: text } of statements)
    expect((await sql.raw(`explain (generic_plan) ${formatSql(text)}`).execute(db)).rows).not.toEqual([])
})

test('the end of a run is printed with every part that can leave rows', () => {
  expect([...leftParts.keys()]).toEqual(runParts.filter((part) => part.collect))
})
