import { type Kysely, sql } from 'kysely'

/** Set once the log of an ended attempt is gone from storage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table build_attempts add column log_removed_at timestamptz`.execute(db)
}
