import { type Kysely, sql } from 'kysely'

/** Adds a column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table companies add column upgrade_tests text`.execute(db)
}
