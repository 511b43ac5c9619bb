import { type Kysely, sql } from 'kysely'

/** The end of a build reads the open findings of its environment, however many were resolved before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index security_findings_open on security_findings (environment_id, last_seen_at)
    where state in ('discovered', 'reappeared', 'excepted', 'blocked')
  `.execute(db)
}
