-- Events that nobody was notified of yet. A row is written in the transaction of what happened. The transaction that deletes
-- it writes the notifications, so each event notifies exactly once.
create table event_outbox (
  id bigint generated always as identity primary key,
  company_id text not null,
  event text not null,
  -- a run, a build attempt, an environment, a version, an exception, or the submitter of runs
  subject_id text not null,
  count int not null default 1 check (count >= 1),
  -- findings of one environment in one transaction are one event
  written_by xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp()
);
create index event_outbox_turns on event_outbox (company_id, id);
create unique index event_outbox_scans on event_outbox (subject_id, event, written_by)
  where event like 'security_finding_%';

-- The states that people are notified of. Every change of state inserts into state_events, so no writer can leave one out.
create function record_run_end() returns trigger language plpgsql as $$
begin
  insert into event_outbox (company_id, event, subject_id) values (new.company_id, 'run_terminal', new.entity_id);
  return null;
end $$;
create trigger record_run_end after insert on state_events for each row
  when (new.entity = 'run' and new.to_state in ('completed', 'customer_failed', 'platform_failed', 'cancelled'))
  execute function record_run_end();

create function record_event() returns trigger language plpgsql as $$
declare
  happened text := case
    when new.entity = 'build_attempt' and new.to_state = 'completed' then 'build_ready'
    when new.entity = 'build_attempt' and new.to_state = 'cancelled' then 'build_cancelled'
    when new.entity = 'build_attempt' and new.to_state in ('customer_failed', 'platform_failed') then 'build_failed'
    when new.entity = 'environment_version' and new.to_state = 'superseded' then 'runner_handoff_completed'
    when new.entity = 'security_exception' and new.to_state = 'active' then 'security_exception_granted'
    when new.entity = 'security_exception' then 'security_exception_' || new.to_state
    when new.entity = 'security_finding' and new.to_state = 'discovered' and new.from_state = ''
      then 'security_finding_discovered'
    when new.entity = 'security_finding' and new.to_state in ('resolved', 'reappeared', 'blocked')
      then 'security_finding_' || new.to_state
  end;
begin
  if happened is null or new.company_id is null then
    return null;
  end if;
  if new.entity = 'security_finding' then
    insert into event_outbox (company_id, event, subject_id)
    select company_id, happened, environment_id from security_findings
    where id = new.entity_id and company_id = new.company_id
    on conflict (subject_id, event, written_by) where event like 'security_finding_%'
      do update set count = event_outbox.count + 1;
  else
    insert into event_outbox (company_id, event, subject_id) values (new.company_id, happened, new.entity_id);
  end if;
  return null;
end $$;
create trigger record_event after insert on state_events for each row
  when (new.entity in ('build_attempt', 'environment_version', 'security_finding', 'security_exception'))
  execute function record_event();

-- What one person is notified of. `source` is the id in the outbox, or the day of events that are one notification a day.
create table notifications (
  id text primary key,
  -- the order of a list
  place bigint generated always as identity,
  company_id text not null references companies,
  user_id text not null,
  source text not null,
  event text not null,
  title text not null check (length(title) between 1 and 512),
  deep_link text not null check (length(deep_link) between 1 and 512),
  subject_type text not null,
  subject_id text,
  chatroom_id text,
  count int not null default 1 check (count >= 1),
  created_at timestamptz not null,
  read_at timestamptz,
  unique (user_id, source),
  foreign key (company_id, user_id) references users (company_id, id)
);
create index notifications_by_user on notifications (user_id, place desc);
create index notifications_unread on notifications (user_id, place desc) where read_at is null;
create index notifications_age on notifications (created_at);

-- Until when the end of runs has been looked at, to notify of content that will expire soon.
create table content_expiry_notices (
  company_id text primary key references companies,
  ended_before timestamptz not null
);
