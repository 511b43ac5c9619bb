import { sql } from 'kysely'
import type { Database } from '../../server/db/database.ts'

/** Rows of the tables and of their indexes that the database has read. With one connection the difference of two is what lay between. */
export async function rowsRead(db: Database, tables: readonly string[]): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ rows: number }>`
    select (
      (select sum(seq_tup_read) from pg_stat_user_tables where relname = any(${tables}::text[]))
      + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any(${tables}::text[]))
    )::bigint as rows
  `.execute(db)
  return rows[0]?.rows ?? Number.NaN
}
