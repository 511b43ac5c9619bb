import { type Kysely, sql } from 'kysely'

/**
 * Runs and builds whose changes of state somebody waits for. A change notifies only where there is such a row: commits that
 * notify are done one after another by Postgres, and most runs have nobody who waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Runs and builds that somebody waits for. Not logged: what a crash of the database takes with it is written again.
    create unlogged table state_watches (
      -- a run or a build attempt
      subject_id text primary key,
      company_id text not null,
      wanted_until timestamptz not null
    );
    create index state_watches_wanted on state_watches (wanted_until);

    create function notify_state_change() returns trigger language plpgsql as $$
    begin
      if exists (select from state_watches where subject_id = new.entity_id) then
        perform pg_notify('state_changes', new.entity_id);
      end if;
      return null;
    end $$;
    create trigger notify_state_change after insert on state_events
      for each row when (new.from_state <> '') execute function notify_state_change();
  `.execute(db)
}
