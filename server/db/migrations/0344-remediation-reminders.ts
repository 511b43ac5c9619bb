import { type Kysely, sql } from 'kysely'

/**
 * How often the managers of a finding were reminded of its deadline, and from when that deadline is counted: one that occurs again
 * has a new deadline and no reminders.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table security_findings add column reminders int not null default 0 check (reminders >= 0);
    alter table security_findings add column reminded_since timestamptz;
  `.execute(db)
}
