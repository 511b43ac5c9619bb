-- Files that people and keys uploaded for runs of a room. A file ends when its time is over and no kept run took it.
create table input_files (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  principal_type text not null check (principal_type in ('user', 'social_media_client')),
  principal_id text not null,
  -- The key that uploaded it: to a sandbox-scope key no other files exist.
  api_key_id text,
  name text not null check (octet_length(name) between 1 and 255),
  media_type text not null check (length(media_type) between 3 and 127),
  storage_key text not null unique,
  byte_size bigint not null check (byte_size >= 0),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  -- when the sweep looks whether its time is over
  look_at timestamptz not null,
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create index input_files_by_room on input_files (chatroom_id, id);
create index input_files_to_look_at on input_files (look_at);

-- The files of a run: each is an uploaded file, or an artifact of another run of the company. A row goes with the input of
-- its run. Without references: a run holds what it takes by locks and by what the sweeps compare, until it has ended; after
-- that its files may go before the row.
create table run_files (
  run_id text not null,
  company_id text not null,
  place int not null check (place between 0 and 31),
  name text not null check (octet_length(name) between 1 and 255),
  byte_size bigint not null check (byte_size >= 0),
  digest text not null,
  file_id text,
  source_run_id text,
  artifact_id text,
  primary key (run_id, place),
  unique (run_id, name),
  check ((file_id is null) = (source_run_id is not null)),
  check ((file_id is null) = (artifact_id is not null))
);
create index run_files_by_file on run_files (file_id) where file_id is not null;
create index run_files_by_source on run_files (source_run_id) where source_run_id is not null;

-- What the submitter of a run noted about it; it goes with the input. Room and time of the run are here too, so that the
-- runs of a room with a value are read in order.
create table run_metadata (
  run_id text not null,
  company_id text not null,
  chatroom_id text not null,
  key text not null check (length(key) between 1 and 64),
  value text not null check (length(value) between 1 and 512),
  queued_at timestamptz not null,
  primary key (run_id, key)
);
create index run_metadata_by_value on run_metadata (chatroom_id, key, value, queued_at desc, run_id desc);

-- Uploads of files hold leases as other uploads do, and are counted apart from them.
alter table staging_leases drop constraint staging_leases_object_kind_check;
alter table staging_leases add constraint staging_leases_object_kind_check
  check (object_kind in ('script', 'bundle', 'report', 'input'));

-- All three count to the bytes that their company keeps. A file counts a block of the disk more, a row at least a quarter of
-- a kibibyte, so that their numbers are bounded too. Rows never change in what they count.
do $block$
declare
  source record;
  event record;
begin
  for source in select * from (values
    ('input_files', 'input_files', '4096 + byte_size'),
    ('run_files', 'metadata', '256 + octet_length(name)'),
    ('run_metadata', 'metadata', '256 + octet_length(key) + octet_length(value)')
  ) as sources (table_name, kind, bytes) loop
    for event in select * from (values ('insert', 'new', 'news', ''), ('delete', 'old', 'olds', '-'))
      as events (name, side, rows, sign) loop
      execute format($sql$
        create function count_kept_%1$s_%2$s() returns trigger language plpgsql as $body$
          begin
            insert into kept_byte_changes (company_id, kind, bytes)
            select company_id, %3$L, %4$ssum(%5$s)::bigint from %6$s group by company_id;
            return null;
          end $body$;
        create trigger count_kept_%1$s after %1$s on %2$s referencing %7$s table as %6$s
          for each statement execute function count_kept_%1$s_%2$s()$sql$,
        event.name, source.table_name, source.kind, event.sign, source.bytes, event.rows, event.side);
    end loop;
    execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
      || format(' union all select company_id, %L, (%s)::bigint from %I', source.kind, source.bytes, source.table_name);
  end loop;
end
$block$;
