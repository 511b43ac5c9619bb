-- A table that a company or a department owns. Whoever changes its rows locks it: row_count is exact, and a change of the
-- flags or the fields waits for the writes before it.
create table custom_tables (
  id text primary key,
  company_id text not null references companies,
  owner_scope text not null check (owner_scope in ('department', 'company')),
  owner_id text not null,
  name text not null check (length(name) between 1 and 256),
  description text not null default '' check (length(description) <= 2048),
  -- [{ name, type, required }] in their order
  fields jsonb not null check (jsonb_typeof(fields) = 'array' and jsonb_array_length(fields) between 1 and 200),
  commands_only boolean not null default false,
  channel_rule boolean not null default false,
  row_count int not null default 0 check (row_count >= 0),
  state text not null default 'active' check (state in ('active', 'archived')),
  created_by text not null,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  check ((state = 'archived') = (archived_at is not null)),
  unique (company_id, id)
);
create index custom_tables_by_owner on custom_tables (company_id, owner_id, id);

create table custom_table_rows (
  id text primary key,
  company_id text not null,
  table_id text not null,
  version int not null default 1 check (version >= 1),
  -- the chatroom that a row of a table with a channel rule belongs to
  chatroom_id text,
  -- by field; a field without a value is absent
  "values" jsonb not null check (jsonb_typeof("values") = 'object'),
  byte_size int not null check (byte_size between 2 and 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (company_id, table_id) references custom_tables (company_id, id)
);
create index custom_table_rows_of_table on custom_table_rows (table_id, id);

-- A named way to change one row of a table. Its identity is those inputs that name the row.
create table custom_table_commands (
  id text primary key,
  company_id text not null,
  table_id text not null,
  name text not null check (length(name) between 1 and 256),
  description text not null default '' check (length(description) <= 2048),
  revision int not null default 1 check (revision >= 1),
  inputs jsonb not null check (jsonb_typeof(inputs) = 'array' and jsonb_array_length(inputs) between 1 and 200),
  mode text not null check (mode in ('write', 'read')),
  authority text not null check (authority in ('definition', 'caller')),
  effect_identity text[] check (cardinality(effect_identity) between 1 and 16),
  granted_scope text not null check (granted_scope in ('chatroom', 'department', 'company')),
  granted_id text not null,
  state text not null default 'active' check (state in ('active', 'archived')),
  created_by text not null,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  check ((state = 'archived') = (archived_at is not null)),
  check (mode = 'write' or effect_identity is null),
  foreign key (company_id, table_id) references custom_tables (company_id, id),
  unique (company_id, id)
);
create index custom_table_commands_of_table on custom_table_commands (table_id, id);
create index custom_table_commands_by_grant on custom_table_commands (company_id, granted_id, id);

-- The row that a command created under an identity. Whoever calls the command with it locks this row.
create table custom_table_identities (
  command_id text not null,
  identity text not null check (identity ~ '^[0-9a-f]{64}$'),
  company_id text not null,
  row_id text not null references custom_table_rows on delete cascade deferrable initially deferred,
  primary key (command_id, identity),
  foreign key (company_id, command_id) references custom_table_commands (company_id, id)
);
create index custom_table_identities_of_row on custom_table_identities (row_id);

-- Rows count to the bytes that their company keeps: at least half a kibibyte each, so that their number is bounded too.
create function count_kept_insert_custom_table_rows() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select r.company_id, 'table_rows', sum(512 + r.byte_size)::bigint from news r group by r.company_id;
      return null;
    end $$;
create trigger count_kept_insert after insert on custom_table_rows referencing new table as news
  for each statement execute function count_kept_insert_custom_table_rows();
create function count_kept_update_custom_table_rows() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select company_id, 'table_rows', sum(bytes)::bigint from (
        select r.company_id, r.byte_size::bigint as bytes from news r
        union all select r.company_id, -r.byte_size::bigint from olds r
      ) changed group by company_id having sum(bytes) <> 0;
      return null;
    end $$;
create trigger count_kept_update after update on custom_table_rows referencing old table as olds new table as news
  for each statement execute function count_kept_update_custom_table_rows();
create function count_kept_delete_custom_table_rows() returns trigger language plpgsql as $$
    begin
      insert into kept_byte_changes (company_id, kind, bytes)
      select r.company_id, 'table_rows', -sum(512 + r.byte_size)::bigint from olds r group by r.company_id;
      return null;
    end $$;
create trigger count_kept_delete after delete on custom_table_rows referencing old table as olds
  for each statement execute function count_kept_delete_custom_table_rows();
do $$
  begin
    execute 'create or replace view kept_sources as ' || rtrim(pg_get_viewdef('kept_sources'::regclass), '; ')
      || ' union all select r.company_id, ''table_rows'' as kind, (512 + r.byte_size)::bigint as bytes from custom_table_rows r';
  end $$;
