-- What changes of a table's rows start. Whoever changes rows reads the active triggers of the table that it has locked, so a
-- trigger handles every change after its creation.
create table custom_table_triggers (
  id text primary key,
  company_id text not null,
  table_id text not null,
  name text not null check (length(name) between 1 and 256),
  description text not null default '' check (length(description) <= 2048),
  events text[] not null check (events <@ array['create', 'update'] and cardinality(events) between 1 and 2),
  chatroom_id text not null,
  task_version_id text not null,
  input_template jsonb not null,
  timeout_seconds int check (timeout_seconds >= 1),
  -- the user whose authority the runs have
  run_as text not null,
  state text not null default 'active' check (state in ('active', 'archived')),
  last_error_code text,
  last_refused_at timestamptz,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  check ((state = 'archived') = (archived_at is not null)),
  check ((last_error_code is null) = (last_refused_at is null)),
  foreign key (company_id, table_id) references custom_tables (company_id, id),
  unique (company_id, id)
);
create index custom_table_triggers_of_table on custom_table_triggers (table_id, id);

-- The outbox of row events, one row for each trigger and change, written in the transaction of the change. The transaction that
-- queues the run of an event records it here, so each event starts at most one run; an event without an outcome waits.
create table custom_table_trigger_events (
  id text primary key,
  -- the order of the changes of one row: their transactions lock its table
  place bigint generated always as identity,
  company_id text not null,
  trigger_id text not null,
  row_id text not null,
  row_version int not null check (row_version >= 1),
  event text not null check (event in ('create', 'update')),
  -- of the row after the change; null from the outcome on
  "values" jsonb,
  byte_size int not null check (byte_size between 0 and 65536),
  -- runs in a row up to this one, each started by a row that the one before it wrote
  chain int not null check (chain >= 1),
  outcome text check (outcome in ('started', 'refused')),
  run_id text,
  error_code text,
  created_at timestamptz not null default now(),
  handled_at timestamptz,
  check ((outcome is null) = (handled_at is null)),
  check ((outcome is null) = ("values" is not null)),
  check ((outcome is not distinct from 'started') = (run_id is not null)),
  check ((outcome is not distinct from 'refused') = (error_code is not null)),
  foreign key (company_id, trigger_id) references custom_table_triggers (company_id, id),
  unique (trigger_id, row_id, row_version)
);
create index custom_table_trigger_events_waiting on custom_table_trigger_events (company_id, place) where outcome is null;
create index custom_table_trigger_events_of_trigger on custom_table_trigger_events (trigger_id, place desc);
create unique index custom_table_trigger_events_of_run on custom_table_trigger_events (run_id);
create index custom_table_trigger_events_age on custom_table_trigger_events (handled_at) where outcome is not null;

-- Events count to the bytes that their company keeps, as rows do.
create function count_kept_insert_custom_table_trigger_events() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select r.company_id, 'trigger_events', sum(512 + r.byte_size)::bigint from news r group by r.company_id;
      return null;
    end $$;
create trigger count_kept_insert after insert on custom_table_trigger_events referencing new table as news
  for each statement execute function count_kept_insert_custom_table_trigger_events();
create function count_kept_update_custom_table_trigger_events() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'trigger_events', sum(bytes)::bigint from (
        select r.company_id, r.byte_size::bigint as bytes from news r
        union all select r.company_id, -r.byte_size::bigint from olds r
      ) changed group by company_id having sum(bytes) <> 0;
      return null;
    end $$;
create trigger count_kept_update after update on custom_table_trigger_events referencing old table as olds new table as news
  for each statement execute function count_kept_update_custom_table_trigger_events();
create function count_kept_delete_custom_table_trigger_events() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select r.company_id, 'trigger_events', -sum(512 + r.byte_size)::bigint from olds r group by r.company_id;
      return null;
    end $$;
create trigger count_kept_delete after delete on custom_table_trigger_events referencing old table as olds
  for each statement execute function count_kept_delete_custom_table_trigger_events();
do $$
  begin
    execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
      || ' union all select r.company_id, ''trigger_events'' as kind, (512 + r.byte_size)::bigint as bytes from custom_table_trigger_events r';
  end $$;
