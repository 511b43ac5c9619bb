import { type Kysely, sql } from 'kysely'

/**
 * The newest part of the log of each run that somebody follows, from the worker to the api. What a crash of the database
 * takes with it is asked for again, so it is not logged.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table live_logs (
      run_id text primary key,
      company_id text not null,
      wanted_until timestamptz not null,
      start bigint not null default 0 check (start >= 0),
      bytes bytea not null default '' check (length(bytes) <= 262144)
    );
    create index live_logs_wanted on live_logs (wanted_until);
  `.execute(db)
}
