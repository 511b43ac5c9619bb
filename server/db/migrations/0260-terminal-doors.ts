import { type Kysely, sql } from 'kysely'

/** Doors for Open Terminal, and sessions of the people who use a platform. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table doors drop constraint doors_kind_check, add constraint doors_kind_check
      check (kind in ('dify', 'piston', 'librechat', 'open_terminal'));
    -- The user of a platform whose files they are, as the platform names them: each has one session of a door, which is the key
    -- that created it.
    alter table sessions add column person text check (length(person) between 1 and 128),
      add constraint sessions_person_of_key check (person is null or api_key_id is not null);
    create unique index sessions_of_person on sessions (api_key_id, person) where person is not null;
    create index runs_of_session on runs (session_id, queued_at, id) where session_id is not null;
  `.execute(db)
}
