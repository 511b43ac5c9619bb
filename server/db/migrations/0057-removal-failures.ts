import { type Kysely, sql } from 'kysely'

/** Things that could not be removed when their time was over, and when each is tried again: others go before it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table removal_failures (
      thing text primary key,
      attempts int not null check (attempts >= 1),
      next_at timestamptz not null
    );
    create index removal_failures_age on removal_failures (next_at);

    -- What was deleted before its time, or whose objects could not be removed yet.
    create index run_contents_pending on run_contents (run_id) where state = 'delete_pending';
    alter table run_contents add check (state in ('active', 'delete_pending', 'tombstoned'));
  `.execute(db)
}
