-- Operations: the record of every change of state, the executors that work on this database, and what operators did.

-- Every transition of every state column, written in its transaction. Events are found by what they happened to.
create table state_events (
  id bigint generated always as identity,
  company_id text,
  entity text not null,
  entity_id text not null,
  from_state text not null,
  to_state text not null,
  at timestamptz not null default now(),
  primary key (entity_id, id)
);
-- The events of a run are deleted with its content, all others after a time.
create index state_events_age on state_events (at) where entity <> 'run';

-- Runs and builds that somebody waits for, and companies in which somebody follows what happens. Not logged: what a crash of the database takes with it is written again.
create unlogged table state_watches (
  -- a run, a build attempt or a company
  subject_id text primary key,
  company_id text not null,
  wanted_until timestamptz not null
);
create index state_watches_wanted on state_watches (wanted_until);

-- Has listeners notified once the transaction has committed, by a message to the process that runs it
-- (server/db/commit-notifier.ts). pg_notify() itself is for transactions that write nothing durable: Postgres commits those
-- that notify one after another, each with its own wait for the disk.
create function notify_after_commit(channel text, payload text) returns void language plpgsql as $$
begin
  -- A client gets this level whatever its settings.
  raise info using message = channel, detail = payload, errcode = 'SJ001';
end $$;

-- Notifies streams of events of a change in a company, by ids alone, where somebody follows.
create function notify_company_change(company text, kind text, id text) returns void language plpgsql as $$
begin
  if exists (select from state_watches where subject_id = company) then
    perform notify_after_commit('company_changes', company || ' ' || kind || ' ' || id);
  end if;
end $$;

-- A change of state notifies only where somebody waits for it, or follows what happens in the company: most runs have nobody who
-- waits.
create function notify_state_change() returns trigger language plpgsql as $$
declare
  watched text;
begin
  for watched in select subject_id from state_watches where subject_id in (new.entity_id, new.company_id) loop
    if watched = new.company_id then
      if new.entity in ('run', 'build_attempt') then
        perform notify_after_commit('company_changes', new.company_id || ' '
          || case new.entity when 'run' then 'run' else 'build' end || ' ' || new.entity_id);
      end if;
    elsif new.from_state <> '' then
      perform notify_after_commit('state_changes', new.entity_id);
    end if;
  end loop;
  return null;
end $$;
create trigger notify_state_change after insert on state_events
  for each row when (new.from_state <> '' or new.entity = 'run') execute function notify_state_change();

-- Places that start sandboxes and know which they started: each is a machine with its host agent, and one worker at a time
-- drives it. A row stays when its machine is gone, as the runs that it has claimed do.
create table executors (
  -- the id in the folder of its host agent
  id text primary key check (id ~ '^[0-9a-f]{32}$'),
  -- the same for one folder on one disk, and for one start of the kernel
  folder text not null check (length(folder) between 1 and 64),
  boot text not null check (length(boot) between 1 and 64),
  -- host and folder, for people
  place text not null check (length(place) between 1 and 512),
  -- ids of the keys that sign images, and where objects are: workers of one database have the same
  keys text[] not null,
  store text not null check (length(store) between 1 and 1024),
  -- that drives it: another one at each start
  worker text not null check (length(worker) between 1 and 64),
  -- the slots and memory that it shares among runs and builds
  capacity jsonb not null,
  lease_until timestamptz not null,
  -- set by the operator: nothing more is claimed for it
  draining boolean not null default false,
  -- given up by an orderly stop
  released boolean not null default false,
  -- when its host agent last answered the worker
  agent_seen_at timestamptz,
  -- since when the worker has renewed the lease before its end each time
  held_since timestamptz not null default clock_timestamp()
);

-- Heartbeats of the workers that drive an executor. A worker without a recent one, or without a row, is gone: another one of
-- its executor takes over its runs.
create table workers (
  id text primary key check (length(id) between 1 and 64),
  executor text not null references executors,
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp()
);
create index workers_by_executor on workers (executor);

-- For ever, or for 30 days: which sandbox ids of an executor of pods may start, which started, and how they ended
-- (kubernetes/records). One process redeems an id, or none ever does.
create table sandbox_records (
  id text primary key check (id ~ '^[a-z0-9_]{1,64}$'),
  executor text not null check (executor ~ '^[0-9a-f]{32}$'),
  state text not null check (state in ('placed', 'redeemed', 'exited', 'removed', 'forbidden')),
  made_at timestamptz not null default clock_timestamp(),
  -- of the work with this id: a start long after it is refused
  claimed_at timestamptz,
  -- of the pod whose process has redeemed the id, and the SHA-256 of the credential that this process made
  pod_uid text check (length(pod_uid) between 1 and 64),
  credential_hash bytea check (length(credential_hash) = 32),
  valid_until timestamptz,
  -- 0: it is not asked to end; 1: by SIGTERM; 2: by SIGKILL
  stop integer not null default 0 check (stop between 0 and 2),
  -- its specification, and its exit record
  spec jsonb,
  exit jsonb,
  check ((spec is not null) = (state in ('placed', 'redeemed', 'exited'))),
  check ((exit is not null) = (state = 'exited')),
  check (state not in ('redeemed', 'exited') or num_nulls(pod_uid, credential_hash, valid_until) = 0),
  check (state not in ('placed', 'forbidden') or num_nonnulls(pod_uid, credential_hash, valid_until) = 0)
);
create index sandbox_records_live on sandbox_records (executor) where state in ('placed', 'redeemed', 'exited');
create index sandbox_records_by_age on sandbox_records (made_at);

-- The metrics of processes without a listener, which the API serves; one row for each of an executor. Not logged: each process
-- writes its own again within seconds.
create unlogged table process_metrics (
  executor text not null,
  process text not null check (process in ('worker', 'builds', 'backups')),
  reported_at timestamptz not null default now(),
  metrics json not null,
  primary key (executor, process)
);

-- Acts of operators past the API: rows are added and never changed, and each holds the hash of the one before it.
create table operator_acts (
  sequence bigint primary key,
  done_at timestamptz not null default clock_timestamp(),
  account text not null check (length(account) between 1 and 256),
  act text not null check (act ~ '^[a-z_]{1,64}$'),
  subject text not null check (length(subject) <= 256),
  details jsonb not null,
  hash text not null check (hash ~ '^[0-9a-f]{64}$')
);

create function operator_act_hash(a operator_acts, before text) returns text language sql stable as $$
  select encode(sha256(convert_to(jsonb_build_array(
    before, a.sequence, extract(epoch from a.done_at), a.account, a.act, a.subject, a.details
  )::text, 'UTF8')), 'hex')
$$;

create function chain_operator_act() returns trigger language plpgsql as $$
declare
  last operator_acts;
begin
  perform pg_advisory_xact_lock(hashtext('operator_acts'));
  select * into last from operator_acts order by sequence desc limit 1;
  new.sequence := coalesce(last.sequence, 0) + 1;
  new.hash := operator_act_hash(new, coalesce(last.hash, ''));
  return new;
end
$$;
create trigger operator_acts_chained before insert on operator_acts
  for each row execute function chain_operator_act();

create function keep_operator_acts() returns trigger language plpgsql as $$
begin
  raise exception 'operator_acts is only ever added to';
end
$$;
create trigger operator_acts_kept before update or delete or truncate on operator_acts
  for each statement execute function keep_operator_acts();

-- Codes that sign an operator in to the console of operators, once each. The command of the operator alone makes them.
create table operator_codes (
  -- SHA-256 of the random code
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  -- of the person on the machine who asked for it
  account text not null check (length(account) between 1 and 256),
  expires_at timestamptz not null,
  -- of the sign-in that it makes: read_only allows no act
  access text not null check (access in ('full', 'read_only'))
);

-- Browsers in which an operator is signed in.
create table operator_sign_ins (
  -- SHA-256 of the random token in the cookie
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  account text not null check (length(account) between 1 and 256),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- moves with each use, up to a limit
  expires_at timestamptz not null,
  access text not null check (access in ('full', 'read_only'))
);

-- Since when operators refuse all changes; no row: they do not.
create table kill_switch (
  single boolean primary key default true check (single),
  stopped_at timestamptz not null default now()
);

-- Runs that operators want to end: one, or all of a company that wait. A worker ends them and deletes the row, so the operator
-- console, whose role may add rows here, needs no right on runs. Who asks again renews the row.
create table run_end_requests (
  id bigint generated always as identity primary key,
  company_id text not null references companies,
  -- null: all that were queued up to this time
  run_id text,
  requested_at timestamptz not null default clock_timestamp(),
  -- of the machine, that the audit log of the company names
  account text not null check (length(account) between 1 and 256),
  unique nulls not distinct (company_id, run_id)
);

-- Things that could not be removed when their time was over, and when each is tried again: others go before it.
create table removal_failures (
  thing text primary key,
  attempts int not null check (attempts >= 1),
  next_at timestamptz not null
);
create index removal_failures_age on removal_failures (next_at);
