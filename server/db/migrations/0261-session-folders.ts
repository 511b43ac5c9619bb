import { type Kysely, sql } from 'kysely'

/** The working directories of conversations in the sessions of terminals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add constraint sessions_of_company unique (company_id, id);
    -- In which folder of a session the commands of a conversation start. A conversation without a row starts in the session's
    -- own folder. Whoever writes a row deletes all but the newest of the session.
    create table session_folders (
      session_id text not null,
      company_id text not null references companies,
      -- as the platform names it
      conversation text not null check (length(conversation) between 1 and 128),
      folder text not null check (octet_length(folder) between 1 and 1024),
      used_at timestamptz not null default clock_timestamp(),
      primary key (session_id, conversation),
      foreign key (company_id, session_id) references sessions (company_id, id) on delete cascade
    );
    -- A row counts to the bytes that its company keeps, always as much.
    create function count_kept_insert_session_folders() returns trigger language plpgsql as $$
      begin
        insert into kept_byte_changes (company_id, kind, bytes)
        select company_id, 'sessions', count(*) * 1280 from news group by company_id;
        return null;
      end $$;
    create trigger count_kept_insert after insert on session_folders referencing new table as news
      for each statement execute function count_kept_insert_session_folders();
    create function count_kept_delete_session_folders() returns trigger language plpgsql as $$
      begin
        insert into kept_byte_changes (company_id, kind, bytes)
        select company_id, 'sessions', -count(*) * 1280 from olds group by company_id;
        return null;
      end $$;
    create trigger count_kept_delete after delete on session_folders referencing old table as olds
      for each statement execute function count_kept_delete_session_folders();
    do $block$
    begin
      execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
        || ' union all select company_id, ''sessions'', 1280::bigint from session_folders';
    end
    $block$;
  `.execute(db)
}
