import { type Kysely, sql } from 'kysely'

/** Indexes for the removal of old exceptions, and of old findings that have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index security_findings_age on security_findings (state_changed_at)
    where state in ('resolved', 'closed')
  `.execute(db)
  await sql`create index security_exceptions_age on security_exceptions (ended_at) where state <> 'active'`.execute(
    db,
  )
}
