import { type Kysely, sql } from 'kysely'

/**
 * The events of a run are deleted with its content, all others after a time: an index for that, and how many others a company
 * has counts to its bytes. They are counted by row, since a run makes most events and none of these.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await deleteExpired(db)
  await sql`
    create index state_events_age on state_events (at) where entity <> 'run';

    create function count_state_event() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes) values (new.company_id, 'state_events', 320);
      return null;
    end $$;
    create trigger count_kept_insert after insert on state_events for each row
      when (new.entity <> 'run' and new.company_id is not null) execute function count_state_event();

    create function count_deleted_state_events() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'state_events', -320 * count(*) from olds
      where entity <> 'run' and company_id is not null group by company_id;
      return null;
    end $$;
    create trigger count_kept_delete after delete on state_events referencing old table as olds
      for each statement execute function count_deleted_state_events();

    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, 'state_events', 320 * count(*) from state_events
    where entity <> 'run' and company_id is not null group by company_id;

    do $block$
    begin
      execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
        || $view$ union all select company_id, 'state_events', 320::bigint from state_events
          where entity <> 'run' and company_id is not null$view$;
    end $block$;
  `.execute(db)
}

/** Deletes the events of runs whose content is gone, of so many runs in a statement that each has time. */
async function deleteExpired(db: Kysely<unknown>): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ last: string | null }>`
      with expired as (
        select id from runs where content_expired_at is not null and id > ${after} order by id limit 20000
      ), deleted as (
        delete from state_events e using expired where e.entity_id = expired.id
      )
      select max(id) as last from expired
    `.execute(db)
    const last = rows[0]?.last
    if (!last) return
    after = last
  }
}
