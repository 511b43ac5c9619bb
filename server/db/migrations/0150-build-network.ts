import { type Kysely, sql } from 'kysely'

/** What the steps of a build reached: null before its builder has ended, and without a network. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table build_attempts add column network jsonb`.execute(db)
}
