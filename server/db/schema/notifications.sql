-- Notifications: events that people are notified of, by list, e-mail and webhook.

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

-- Notifications of one person. `source` is the id in the outbox, or the day of events that are one notification a day.
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

-- New notifications, and those that are read, notify the streams of their person.
create function notify_of_notification() returns trigger language plpgsql as $$
begin
  perform notify_company_change(company_id, 'user', user_id)
  from (select distinct company_id, user_id from changed) people;
  return null;
end $$;
create trigger notify_of_notification after insert on notifications
  referencing new table as changed for each statement execute function notify_of_notification();
create trigger notify_of_read_notification after update on notifications
  referencing new table as changed for each statement execute function notify_of_notification();

-- Until when the end of runs has been looked at, to notify of content that will expire soon.
create table content_expiry_notices (
  company_id text primary key references companies,
  ended_before timestamptz not null
);

-- Events that a user wants no e-mail about. No row: none.
create table mail_preferences (
  user_id text primary key,
  company_id text not null,
  muted text[] not null,
  foreign key (company_id, user_id) references users (company_id, id)
);

-- One e-mail for one user, written in the transaction of the notification. `due_at` of an attempt in progress is the time at
-- which it counts as lost.
create table mail_deliveries (
  id text primary key,
  company_id text not null,
  user_id text not null,
  -- that of the notification
  source text not null,
  event text not null,
  subject text not null check (length(subject) between 1 and 512),
  body text not null check (octet_length(body) <= 8192),
  -- `retry`: its last attempt has failed
  lane text not null default 'first' check (lane in ('first', 'retry')),
  attempts int not null default 0 check (attempts >= 0),
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  created_at timestamptz not null,
  attempted_at timestamptz,
  -- the last answer of the server
  status int,
  error text,
  -- null: it waits or is being attempted; `dropped`: the recipient has no address any more
  outcome text check (outcome in ('sent', 'refused', 'failed', 'dropped')),
  -- that attempts it, or did so last
  worker text,
  unique (user_id, source),
  foreign key (company_id, user_id) references users (company_id, id)
);
create index mail_deliveries_due on mail_deliveries (lane, company_id, due_at) where outcome is null;
create index mail_deliveries_waiting on mail_deliveries (company_id) where outcome is null;
create index mail_deliveries_of on mail_deliveries (user_id, created_at);
create index mail_deliveries_age on mail_deliveries (created_at);

-- Addresses of customers that get the events of their company.
create table webhooks (
  id text primary key,
  company_id text not null references companies,
  url text not null check (length(url) between 1 and 2048),
  description text not null check (length(description) <= 256),
  -- empty: all events
  events text[] not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  paused_at timestamptz,
  paused_because text check (paused_because in ('manager', 'gone', 'failing')),
  -- since when no attempt has succeeded; null: the last one did
  failing_since timestamptz,
  -- events that were not queued because too many wait
  dropped int not null default 0,
  -- whether the last success took long: then what waits for it has a lane of its own
  is_slow boolean not null default false,
  unique (company_id, id),
  check ((paused_at is null) = (paused_because is null))
);

-- Signing secrets, encrypted like secrets of tasks. Two are valid after a rotation, until the former expires.
create table webhook_secrets (
  id text primary key,
  company_id text not null,
  webhook_id text not null,
  key_id text not null,
  wrapped_key bytea not null,
  iv bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  foreign key (company_id, webhook_id) references webhooks (company_id, id) on delete cascade
);
create index webhook_secrets_of on webhook_secrets (webhook_id);
create index webhook_secrets_key on webhook_secrets (key_id, id);

-- One event for one webhook. `due_at` of an attempt in progress is the time at which it counts as lost.
create table webhook_deliveries (
  id text primary key,
  place bigint generated always as identity,
  company_id text not null,
  webhook_id text not null,
  event_id text not null,
  event text not null,
  body text not null check (octet_length(body) <= 8192),
  -- `retry`: it, or the last attempt of its webhook, has failed
  lane text not null check (lane in ('first', 'retry')),
  attempts int not null default 0 check (attempts >= 0),
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  created_at timestamptz not null default now(),
  attempted_at timestamptz,
  status int,
  error text,
  -- null: it waits or is being attempted
  outcome text check (outcome in ('delivered', 'failed')),
  unique (webhook_id, event_id),
  -- that attempts it, or did so last
  worker text,
  foreign key (company_id, webhook_id) references webhooks (company_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (lane, company_id, due_at) where outcome is null;
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id) where outcome is null;
create index webhook_deliveries_history on webhook_deliveries (webhook_id, place desc);
