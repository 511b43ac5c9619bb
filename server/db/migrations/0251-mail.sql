-- Where the operator's directory says that a user gets e-mail. Tenants cannot set it: the operator's server would write to anybody.
alter table users add column email text check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:]]');

-- What a user wants no e-mail about. No row: nothing.
create table mail_preferences (
  user_id text primary key,
  company_id text not null,
  muted text[] not null,
  foreign key (company_id, user_id) references users (company_id, id)
);
select record_changes_of('mail_preferences', 'mail_preferences', 'user_id');

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
  unique (user_id, source),
  foreign key (company_id, user_id) references users (company_id, id)
);
create index mail_deliveries_due on mail_deliveries (lane, company_id, due_at) where outcome is null;
create index mail_deliveries_waiting on mail_deliveries (company_id) where outcome is null;
create index mail_deliveries_of on mail_deliveries (user_id, created_at);
create index mail_deliveries_age on mail_deliveries (created_at);
