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
  foreign key (company_id, webhook_id) references webhooks (company_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (lane, company_id, due_at) where outcome is null;
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id) where outcome is null;
create index webhook_deliveries_history on webhook_deliveries (webhook_id, place desc);
