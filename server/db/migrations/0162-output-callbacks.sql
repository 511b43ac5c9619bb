-- Who published a version: an output policy acts with their authority. Null for versions published before this column.
alter table task_versions add column published_by text;

-- The credential of a run with an output policy, made for one claim: a later claim replaces it. Only a keyed hash of the
-- secret is here. It counts only while the run is in progress under that claim.
create table run_output_credentials (
  run_id text primary key references runs on delete cascade,
  company_id text not null references companies,
  fence bigint not null,
  -- the name in the address that the run calls
  token_id text not null unique check (token_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index run_output_credentials_age on run_output_credentials (expires_at);

-- What a run did, by the name that it gave the effect: written in the transaction of the row, so that a repeated call finds
-- it and changes nothing. Removed some time after the run can no longer call.
create table run_output_effects (
  run_id text not null,
  company_id text not null references companies,
  effect_key text not null check (length(effect_key) between 1 and 192),
  request_hash text not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (run_id, effect_key)
);
create index run_output_effects_age on run_output_effects (created_at);
