-- The queue: repeated submissions, whose turn it is, and how many runs there are. Turns and counts are kept by triggers with
-- every row that changes them: a claim costs the same however many companies wait and runs are at work, and a total the
-- same however many runs it counts.

-- Idempotency keys of requests, and what to answer when one comes again. Without references: keys are removed within days,
-- whatever becomes of their company.
create table idempotency_keys (
  company_id text not null,
  principal_id text not null,
  route text not null,
  key text not null check (length(key) between 1 and 128),
  request_hash text not null,
  -- The answer to repeat, to the letter; null while the first call is under way in its own transaction.
  response json,
  created_at timestamptz not null default now(),
  -- The run that was the answer: of such an answer only what the run's row does not hold is in `response`.
  run_id text,
  primary key (company_id, principal_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Every company that has queued runs, in the order in which they are served. It may list some that have none any more:
-- those are removed when their turn comes.
create table queue_turns (
  company_id text primary key,
  served_at timestamptz,
  since timestamptz not null default clock_timestamp()
);
create index queue_turns_order on queue_turns (served_at nulls first, since);

-- Makes sure that companies are in queue_turns. A turn that is there, as most are, is only held until the transaction
-- commits: whoever removes idle turns does not see yet what is queued here.
create function take_turns(company_ids text[]) returns void language plpgsql as $$
declare held int;
begin
  loop
    perform from queue_turns where company_id = any(company_ids) for key share;
    get diagnostics held = row_count;
    exit when held = cardinality(company_ids);
    insert into queue_turns (company_id, served_at)
    select company_id, (
      select claimed_at from runs where runs.company_id = asked.company_id and claimed_at is not null
      order by claimed_at desc limit 1)
    from unnest(company_ids) as asked (company_id) order by company_id
    on conflict do nothing;
  end loop;
end $$;

create function requeued_takes_turn() returns trigger language plpgsql as $$
begin
  perform take_turns(array[new.company_id]);
  return null;
end $$;
create trigger requeued_takes_turn after update on runs
  for each row when (new.state = 'queued' and old.state <> 'queued') execute function requeued_takes_turn();

-- Numbers of runs that were made (no state) and that ended (the state they ended in), by the day (UTC) on which they were
-- queued: a total over a range of days costs what the number of the days costs. Live runs are few and counted themselves.
create table run_counts (
  company_id text not null,
  -- empty: of all tasks together
  task_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  submission_source text not null,
  state text not null,
  runs bigint not null,
  -- -infinity: of all days
  day date not null,
  primary key (company_id, task_id, day, chatroom_id, principal_type, submission_source, state)
);

-- Numbers that are not in run_counts yet. Rows are only added, so that no transaction waits for another to count; a loop
-- folds them.
create table run_count_changes (
  -- the order in which rows were added
  place bigint generated always as identity primary key,
  company_id text not null,
  task_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  submission_source text not null,
  state text not null,
  runs bigint not null,
  day date not null
);
create index run_count_changes_by_company on run_count_changes (company_id);

-- Numbers of runs at work: those that have a slot of an executor. Kept as the counts above, since claims and submissions
-- read them. Rows of all companies are by executor, those of a company and of a room are of all executors.
create table live_run_counts (
  -- empty: of all companies
  company_id text not null,
  -- empty: of all rooms
  chatroom_id text not null,
  -- empty: of all executors
  executor text not null,
  resource_profile text not null,
  runs bigint not null,
  primary key (company_id, chatroom_id, executor, resource_profile)
);
create index live_run_counts_of_companies on live_run_counts (company_id) where chatroom_id = '';
create index live_run_counts_unused on live_run_counts (company_id) where runs = 0;

-- Numbers that are not in live_run_counts yet.
create table live_run_changes (
  company_id text not null,
  chatroom_id text not null,
  executor text not null,
  resource_profile text not null,
  runs int not null check (runs in (-1, 1))
);
create index live_run_changes_by_company on live_run_changes (company_id);

create function is_live_run(state text) returns boolean language sql immutable as $$
  select state in ('starting', 'running', 'cancel_requested')
$$;

create function count_live_run() returns trigger language plpgsql as $$
begin
  -- A run that leaves its slot keeps its executor until it is claimed again.
  insert into live_run_changes (company_id, chatroom_id, executor, resource_profile, runs)
  values (new.company_id, new.chatroom_id, coalesce(new.executor, ''), new.resource_profile, case when is_live_run(new.state) then 1 else -1 end);
  return null;
end $$;
create trigger count_live_run after update on runs
  for each row when (is_live_run(new.state) <> is_live_run(old.state)) execute function count_live_run();
create trigger count_made_live_run after insert on runs
  for each row when (is_live_run(new.state)) execute function count_live_run();

-- New runs, once for all that a statement makes: what they refer to is there, their companies have turns, they are counted.
create function note_made_runs() returns trigger language plpgsql as $$
begin
  -- Each by its key: in any other form Postgres may read whole tables.
  if exists (
    select from news where
      (select id from chatrooms where id = news.chatroom_id and company_id = news.company_id) is null
      or (select id from task_versions where id = news.task_version_id and company_id = news.company_id
        and task_id = news.task_id) is null
      or (select id from environment_versions where id = news.environment_version_id) is null
      or news.share_grant_id is not null
        and (select id from share_grants where id = news.share_grant_id) is null
  ) then
    raise foreign_key_violation using message = 'a run refers to a row that is not there';
  end if;
  perform take_turns(array(select distinct company_id from news where state = 'queued'));
  insert into run_count_changes
    (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
  select company_id, task_id, (queued_at at time zone 'UTC')::date as day, chatroom_id, principal_type,
    submission_source, counted.state, count(*)
  from news cross join lateral (
    select '' as state union all select news.state where news.terminal_at is not null
  ) counted
  group by company_id, task_id, day, chatroom_id, principal_type, submission_source, counted.state;
  return null;
end $$;
create trigger note_made_runs after insert on runs referencing new table as news
  for each statement execute function note_made_runs();

create function count_ended_run() returns trigger language plpgsql as $$
begin
  insert into run_count_changes
    (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
  values (new.company_id, new.task_id, (new.queued_at at time zone 'UTC')::date, new.chatroom_id,
    new.principal_type, new.submission_source, new.state, 1);
  return null;
end $$;
create trigger count_ended_run after update on runs
  for each row when (new.terminal_at is not null and old.terminal_at is null) execute function count_ended_run();
