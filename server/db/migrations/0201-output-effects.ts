import { type Kysely, sql } from 'kysely'

/** Counts what a run has done with its credentials. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run_output_credentials add column effects int not null default 0 check (effects >= 0)`.execute(
    db,
  )
}
