import { type Kysely, sql } from 'kysely'

/**
 * Queued runs by what they need of the machine, so that a claim finds the first run of a room that fits without reading
 * those that do not.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- 1800 seconds, the default of a task: short enough for the places that are kept for short runs.
    alter table runs add column lane text not null generated always as
      (case when timeout_seconds > 1800 then 'long_' else 'short_' end || resource_profile) stored;
    drop index runs_queue;
    create index runs_queue on runs (company_id, chatroom_id, lane, queued_at, id) where state = 'queued';
    -- Runs that may have to wait until memory for them has become free.
    create index runs_queue_larger on runs (company_id, queued_at, id)
      where state = 'queued' and resource_profile <> 'standard';

    alter table company_settings
      add column run_timeout_bound_seconds int check (run_timeout_bound_seconds between 1 and 604680)
  `.execute(db)
}
