import { type RawBuilder, sql } from 'kysely'
import type { Executing } from './database.ts'

/** Counts the rows that a `select` without columns finds, to the limit and no further: the cost has a bound. */
export async function countUpTo(db: Executing, rows: RawBuilder<unknown>, limit: number): Promise<number> {
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) as count from (${rows} limit ${limit}) counted`.execute(db)
  return counted[0]?.count ?? 0
}
