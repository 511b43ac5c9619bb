-- Runs: the executions of task versions, what they take and leave, and public links to it.

-- One execution of a task version in a room.
--   A queued run has no worker; a run at work has a worker, a machine and a sandbox.
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
  -- Who works on it: every write of a worker carries the fence it claimed with.
  fence bigint not null default 0,
  worker text,
  lease_until timestamptz,
  -- What the executor knows it by: another one for each claim, since one that never started is forbidden for ever.
  sandbox_id text,
  -- when its content was removed
  content_expired_at timestamptz,
  -- The machine that claimed it: its executor alone can prove that the run never started.
  machine text,
  -- What it needs of the machine: a claim finds the first run of a room that fits without reading those that do not. 1800
  -- seconds, the default of a task, are short enough for the slots that are reserved for short runs.
  lane text not null generated always as
    (case when timeout_seconds > 1800 then 'long_' else 'short_' end || resource_profile) stored,
  constraint runs_check check (state <> 'queued' or worker is null),
  constraint runs_check1
    check (state not in ('starting', 'running') or (worker is not null and sandbox_id is not null)),
  constraint runs_check2
    check ((terminal_at is not null) = (state in ('completed', 'customer_failed', 'platform_failed', 'cancelled'))),
  constraint runs_check3 check (state <> 'completed' or (exit_code = 0 and error_code = ''))
);
-- Checked of rows that are written: an older row at work may have no machine.
alter table runs add constraint runs_claimed_by_machine
  check (state not in ('starting', 'running') or machine is not null) not valid;

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
create index runs_queue on runs (company_id, chatroom_id, lane, queued_at, id) where state = 'queued';
create index runs_queue_larger on runs (company_id, queued_at, id)
  where state = 'queued' and resource_profile <> 'standard';

-- What a run refers to does not change.
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
      -- Who is making runs is waited for; who comes later is told what has become of the row.
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

-- Where the log, the output and the artifacts of a run are. Tombstoned: they are removed, and the row says that they were.
create table run_contents (
  run_id text primary key references runs,
  company_id text not null references companies,
  state text not null default 'active' check (state in ('active', 'delete_pending', 'tombstoned')),
  output_key text,
  output_bytes bigint,
  output_digest text,
  log_key text,
  log_bytes bigint,
  log_digest text,
  bundle_key text,
  bundle_bytes bigint,
  created_at timestamptz not null default now()
);
-- What was deleted before its time, or whose objects could not be removed yet.
create index run_contents_pending on run_contents (run_id) where state = 'delete_pending';

-- The files of a run's bundle of artifacts, and where each begins in it.
create table run_artifacts (
  id text primary key,
  run_id text not null references runs,
  company_id text not null references companies,
  relative_path text not null check (length(relative_path) between 1 and 1024),
  path_hash text not null,
  bundle_offset bigint not null,
  byte_size bigint not null,
  digest text not null,
  deletion_state text not null default 'active' check (deletion_state in
    ('active', 'delete_pending', 'deleted', 'tombstoned')),
  declared_content_type text not null,
  unique (run_id, relative_path)
);

-- What a run tried to reach and was refused: a row for each run that has any, as long as its content is kept.
create table run_refusals (
  run_id text primary key references runs,
  company_id text not null references companies,
  entries jsonb not null check (jsonb_typeof(entries) = 'array' and jsonb_array_length(entries) <= 200),
  -- refusals beyond those listed
  more bigint not null check (more >= 0)
);

-- The newest part of the log of each run and build that somebody follows, from the worker to the API. Not logged: what a
-- crash of the database takes with it is requested again.
create unlogged table live_logs (
  -- a run or a build attempt
  subject_id text constraint live_logs_run_id_not_null not null primary key,
  company_id text not null,
  wanted_until timestamptz not null,
  -- offset of the bytes in the log
  start bigint not null default 0 check (start >= 0),
  bytes bytea not null default '' check (length(bytes) <= 262144)
);
create index live_logs_wanted on live_logs (wanted_until);

-- Links that open a log, an output or an artifact without a login. A thing has one live link.
create table public_links (
  id text primary key,
  company_id text not null references companies,
  run_id text not null references runs,
  object_kind text not null check (object_kind in ('log', 'output', 'artifact')),
  artifact_id text references run_artifacts,
  -- The token itself is derived from the id under a key kept outside the database.
  token_hash bytea not null unique,
  created_by text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  check ((object_kind = 'artifact') = (artifact_id is not null))
);
create unique index public_links_one_live on public_links (run_id, object_kind, coalesce(artifact_id, ''))
  where revoked_at is null;
