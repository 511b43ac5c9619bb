import { type Kysely, sql } from 'kysely'

/** Claims of an attempt that no worker gave back: so many workers may have died of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table build_attempts
      add column unreturned_claims int not null default 0 check (unreturned_claims >= 0)
  `.execute(db)
}
