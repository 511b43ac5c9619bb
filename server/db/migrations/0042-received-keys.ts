import { type Kysely, sql } from 'kysely'

/** The key that a session's bytes arrive under, until they are the session's own: whoever dies meanwhile leaves a trace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table upload_sessions add column unused_key text;
    create index upload_sessions_unused on upload_sessions (receiving_until) where unused_key is not null;
  `.execute(db)
}
