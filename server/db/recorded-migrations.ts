import { sql } from 'kysely'
import type { Executing } from './database.ts'

/** Names of the migrations that a database has applied; empty if it has no migration table. */
export async function listMigrations(db: Executing): Promise<string[]> {
  const { rows: tables } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db)
  if (!tables[0]?.there) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
