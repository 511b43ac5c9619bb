import { type Kysely, sql } from 'kysely'

/** When the managers of a version were last notified that its image could not be taken from storage again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table environment_versions add column renewal_blocked_at timestamptz`.execute(db)
}
