-- Custom tables: tables of companies, their rows, commands that change them, and triggers that start runs.

-- A table that a company or a department owns. A change of its rows locks it: row_count is exact, and a change of the
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

-- The row that a command created under an identity. A call of the command with it locks this row.
create table custom_table_identities (
  command_id text not null,
  identity text not null check (identity ~ '^[0-9a-f]{64}$'),
  company_id text not null,
  row_id text not null references custom_table_rows on delete cascade deferrable initially deferred,
  primary key (command_id, identity),
  foreign key (company_id, command_id) references custom_table_commands (company_id, id)
);
create index custom_table_identities_of_row on custom_table_identities (row_id);

-- Runs that changes of a table's rows start. A change of rows reads the active triggers of the table that it has locked, so a
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
