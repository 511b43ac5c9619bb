-- Runs: the executions of task versions, and what they take.

-- One execution of a task version in a room.
--   A queued run has no worker; a run at work has a worker, an executor and a sandbox.
--   It has an end exactly if its state is final; a completed one exited with 0 and has no error.
--   What it refers to is checked by triggers (below), once for all rows that a statement makes: references cost more than
--   the row itself. Nothing removes a run.
create table runs (
  id text primary key,
  company_id text not null,
  chatroom_id text not null,
  task_id text not null,
  task_version_id text not null,
  environment_version_id text not null,
  -- null: a room ran a task of its own
  share_grant_id text,
  state text not null default 'queued' check (state in
    ('queued', 'starting', 'running', 'cancel_requested', 'completed', 'customer_failed', 'platform_failed',
     'cancelled')),
  resource_profile text not null,
  principal_type text not null check (principal_type in ('user', 'social_media_client')),
  principal_id text not null,
  auth_method text not null check (auth_method in ('jwt', 'api_key')),
  api_key_id text,
  submission_source text not null check (submission_source in ('rest', 'agent', 'quick_run', 'custom_table_trigger')),
  timeout_seconds int not null check (timeout_seconds between 1 and 604680),
  input_digest text not null,
  retry_of_run_id text not null default '',
  error_code text not null default '',
  -- New runs have no detail, and the pattern costs as much as the rest of the checks.
  error_detail text not null default ''
    check (error_detail = '' or error_detail ~ '^[A-Za-z0-9._@:/+=%;-]{1,128}$'),
  exit_code int,
  failure_stage text not null default '',
  failure_source text not null default '',
  measured_ingress_bytes bigint not null default 0,
  measured_egress_bytes bigint not null default 0,
  peak_memory_bytes bigint,
  cpu_ms bigint,
  queued_at timestamptz not null default now(),
  claimed_at timestamptz,
  started_at timestamptz,
  cancel_requested_at timestamptz,
  terminal_at timestamptz,
  -- The claim: every write of a worker carries the fence it claimed with.
  fence bigint not null default 0,
  worker text,
  lease_until timestamptz,
  -- Its name in the executor: another one for each claim, since one that never started is forbidden for ever.
  sandbox_id text,
  -- when its content was removed
  content_expired_at timestamptz,
  -- The executor for which it was claimed: it alone can prove that the run never started.
  executor text,
  -- Its needs of the machine: a claim finds the first run of a room that fits without reading those that do not. 1800
  -- seconds, the default of a task, are short enough for the slots that are reserved for short runs.
  lane text not null generated always as
    (case when timeout_seconds > 1800 then 'long_' else 'short_' end || resource_profile) stored,
  -- Frozen when the run is claimed: by whom each slot is supplied. Null for runs without slots.
  secret_slot_provenance jsonb,
  session_id text,
  -- It waits in the queue until the session is its own. It is then not in the indexes from which claims take runs, so it
  -- costs them nothing.
  waits_for_session boolean not null default false,
  constraint runs_check check (state <> 'queued' or worker is null),
  constraint runs_check1
    check (state not in ('starting', 'running') or (worker is not null and sandbox_id is not null)),
  constraint runs_check2
    check ((terminal_at is not null) = (state in ('completed', 'customer_failed', 'platform_failed', 'cancelled'))),
  constraint runs_check3 check (state <> 'completed' or (exit_code = 0 and error_code = '')),
  constraint runs_claimed_for_executor check (state not in ('starting', 'running') or executor is not null)
);

-- runs at work, and leases that may have run out
create index runs_live on runs (company_id, chatroom_id) where state in ('starting', 'running', 'cancel_requested');
create index runs_leases on runs (lease_until) where terminal_at is null and worker is not null;
-- whose turn it is, where the queue stands, and how long such runs take
create index runs_served_company on runs (company_id, claimed_at desc) where claimed_at is not null;
create index runs_served_room on runs (chatroom_id, claimed_at desc) where claimed_at is not null;
create index runs_durations on runs (company_id, resource_profile, terminal_at desc)
  where terminal_at is not null and started_at is not null;
-- lists
create index runs_by_room on runs (chatroom_id, queued_at desc, id desc);
create index runs_by_task on runs (task_id, queued_at desc, id desc);
create index runs_by_company on runs (company_id, queued_at desc, id desc);
-- content whose time may be over
create index runs_with_content on runs (company_id, terminal_at)
  where terminal_at is not null and content_expired_at is null;
-- The queue: the front of a company, the front of a lane of a room, and runs that may have to wait until memory is free.
create index runs_company_queue on runs (company_id, queued_at, id) where state = 'queued';
create index runs_queue on runs (company_id, chatroom_id, lane, queued_at, id)
  where state = 'queued' and not waits_for_session;
create index runs_queue_larger on runs (company_id, queued_at, id)
  where state = 'queued' and resource_profile <> 'standard' and not waits_for_session;
create index runs_waiting_for_session on runs (session_id, queued_at, id)
  where state = 'queued' and waits_for_session;
create index runs_of_session on runs (session_id, queued_at, id) where session_id is not null;

-- The rows that a run refers to do not change.
create function keep_references() returns trigger language plpgsql as $$
begin
  raise foreign_key_violation using message = 'what a run refers to does not change';
end $$;
create trigger keep_references
  before update of company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id
  on runs for each row execute function keep_references();

-- The other side of the references: a row that a run refers to is neither removed nor given another key. That the row is
-- there when a run is made is checked by note_made_runs() (queue.sql).
create function keep_referred() returns trigger language plpgsql as $$
declare referred boolean;
begin
  -- It waits for those that are making runs; later ones find what has become of the row.
  lock table runs in share mode;
  execute format('select exists (select from runs where %I = $1)', tg_argv[0]) into referred using old.id;
  if referred then
    raise foreign_key_violation using message = format('a run refers to this row of %I', tg_table_name);
  end if;
  return null;
end $$;
create trigger keep_referred after delete or update of id, company_id on chatrooms
  for each row execute function keep_referred('chatroom_id');
create trigger keep_referred after delete or update of id, company_id, task_id on task_versions
  for each row execute function keep_referred('task_version_id');
create trigger keep_referred after delete or update of id on environment_versions
  for each row execute function keep_referred('environment_version_id');
create trigger keep_referred after delete or update of id on share_grants
  for each row execute function keep_referred('share_grant_id');

-- The input of a run, stored by the statement that makes the run; without references, since runs are never removed.
create table run_inputs (
  run_id text primary key,
  company_id text not null,
  content bytea not null check (length(content) <= 1048576)
);

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

-- Notes of the submitter of a run; they go with the input. Room and time of the run are here too, so that the
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
