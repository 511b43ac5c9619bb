-- Schedules: runs at times of a calendar.

-- Runs a task in a room at the ticks of a cron expression. One that is not paused has its next tick in next_at: the
-- transaction that handles this tick moves it on.
create table schedules (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  name text not null check (length(name) between 1 and 256),
  task_id text not null references tasks,
  input bytea not null check (octet_length(input) <= 1048576),
  input_digest text not null check (input_digest ~ '^sha256:[0-9a-f]{64}$'),
  timeout_seconds int check (timeout_seconds between 1 and 604680),
  cron text not null check (length(cron) between 1 and 120),
  time_zone text not null check (length(time_zone) between 1 and 64),
  missed text not null check (missed in ('skip', 'once')),
  -- whose authority its runs have, and by which of their keys
  run_as text not null,
  api_key_id text,
  -- ticks up to this time start nothing, and what failed before it does not count
  since timestamptz not null,
  next_at timestamptz not null,
  -- when the worker looks at the next tick: after it while the queue is full
  look_at timestamptz not null,
  paused_because text check (paused_because in ('by_person', 'authority_revoked', 'too_many_failures')),
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  check ((paused_because is null) = (paused_at is null)),
  check (look_at >= next_at),
  unique (company_id, id),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
  foreign key (company_id, run_as) references users (company_id, id)
);
create unique index schedules_name on schedules (chatroom_id, name);
create index schedules_due on schedules (company_id, look_at) where paused_because is null;

-- Ticks of a schedule that came, the newest: each started one run or was skipped. The transaction that queues the run of a
-- tick inserts its row, so a tick starts at most one.
create table schedule_ticks (
  schedule_id text not null,
  due_at timestamptz not null,
  company_id text not null,
  run_id text,
  skipped_because text check (length(skipped_because) <= 128),
  handled_at timestamptz not null default now(),
  primary key (schedule_id, due_at),
  check ((run_id is null) <> (skipped_because is null)),
  foreign key (company_id, schedule_id) references schedules (company_id, id) on delete cascade
);
