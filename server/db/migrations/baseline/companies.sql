-- Companies and access: the tenant directory, what people and programs log in with, and what a company and its operator
-- have set for it. A reference between two things of a tenant carries the company, so that no row joins two tenants.

create table companies (
  id text primary key,
  name text not null unique check (length(name) between 1 and 256),
  created_at timestamptz not null default now()
);

create table departments (
  id text primary key,
  company_id text not null references companies,
  name text not null check (length(name) between 1 and 256),
  created_at timestamptz not null default now(),
  unique (company_id, name),
  unique (company_id, id)
);

-- A chatroom of a department. A deleted room keeps its row, since its runs refer to it, and frees its name.
create table chatrooms (
  id text primary key,
  company_id text not null references companies,
  department_id text not null,
  name text not null check (length(name) between 1 and 256),
  -- Raised when the room moves to another department or is deleted: what was granted before no longer applies.
  authority_generation int not null default 1 check (authority_generation >= 1),
  -- Jobs that the room's agent loads; null: never set.
  jobs text[],
  jobs_updated_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, department_id) references departments (company_id, id)
);
create unique index chatrooms_live_name on chatrooms (department_id, name) where deleted_at is null;

-- People. A login is unique over all companies, since it is all that a login request names.
create table users (
  id text primary key,
  company_id text not null references companies,
  login text not null unique check (login ~ '^[A-Za-z0-9_.:@-]{1,64}$'),
  display_name text not null,
  password_hash text not null,
  -- 1 member, 2 department manager, 3 company manager, 4 company administrator
  role int not null check (role between 1 and 4),
  -- Raised by a new password and by disabling: login tokens of an earlier generation are refused.
  credential_generation int not null default 1 check (credential_generation >= 1),
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  unique (company_id, id)
);

-- Who manages which department.
create table department_managers (
  department_id text not null,
  user_id text not null,
  company_id text not null references companies,
  primary key (user_id, department_id),
  foreign key (company_id, department_id) references departments (company_id, id),
  foreign key (company_id, user_id) references users (company_id, id)
);

-- Who is in which room, and who manages it.
create table chatroom_members (
  chatroom_id text not null,
  user_id text not null,
  company_id text not null references companies,
  room_manager boolean not null default false,
  primary key (chatroom_id, user_id),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
  foreign key (company_id, user_id) references users (company_id, id)
);
create index chatroom_members_by_user on chatroom_members (user_id);

-- API keys, each acting for its owner. A live key has a name of its own in the company.
create table api_keys (
  id text primary key,
  company_id text not null references companies,
  owner_user_id text not null,
  name text not null,
  -- HMAC-SHA-256 of the key under a pepper kept outside the database
  key_hash bytea not null unique,
  scope text not null check (scope in ('full', 'sandbox')),
  -- What a sandbox key may reach; on a full key rooms would narrow nothing.
  allowed_chatroom_ids text[] not null default '{}',
  domains text[] not null default '{*}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  -- Number of the pepper: there are two while keys move from one to the next.
  pepper integer not null default 0 check (pepper between 0 and 999999),
  check ((scope = 'sandbox') = (cardinality(allowed_chatroom_ids) > 0)),
  check (cardinality(domains) > 0),
  foreign key (company_id, owner_user_id) references users (company_id, id)
);
create index api_keys_by_company on api_keys (company_id, id);
create unique index api_keys_live_name on api_keys (company_id, name) where revoked_at is null;

-- How often logins were tried, for all API processes together. The key of a bucket is a keyed hash: what people type as a
-- name may be a password. A bucket without a row is full.
create table login_attempts (
  bucket_key bytea primary key check (length(bucket_key) = 32),
  -- when all attempts of the bucket are there again
  full_at timestamptz not null
);
create index login_attempts_full on login_attempts (full_at);

-- Addresses that users have logged in from, as keyed hashes.
create table login_addresses (
  user_id text not null references users on delete cascade,
  company_id text not null references companies on delete cascade,
  address_key bytea not null check (length(address_key) = 32),
  seen_at timestamptz not null,
  primary key (user_id, address_key)
);

-- One row a company: what it has set for itself, and what its operator has set for it.
create table company_settings (
  company_id text primary key references companies,
  -- Raised by every write of a company manager, who names the one last read.
  policy_version int not null default 1 check (policy_version >= 1),
  run_content_retention_days int not null check (run_content_retention_days between 1 and 365),
  unreferenced_image_retention_days int not null check (unreferenced_image_retention_days between 1 and 90),
  allowed_regions text[] not null check (cardinality(allowed_regions) >= 1),
  -- From here on the operator's: no tenant route writes it. A limit that is null is the deployment's for all companies.
  runtime_egress_enabled boolean not null default true,
  timeout_ceiling_seconds int not null check (timeout_ceiling_seconds between 1 and 604680),
  active_environment_limit int not null check (active_environment_limit >= 0),
  capacity_retained_version_limit int not null check (capacity_retained_version_limit >= 0),
  updated_at timestamptz not null default now(),
  run_concurrency_limit int check (run_concurrency_limit >= 1),
  queued_run_limit int check (queued_run_limit >= 1),
  active_build_limit int check (active_build_limit >= 1),
  queued_build_limit int check (queued_build_limit >= 1),
  -- Runs of the company with a longer timeout start one at a time.
  run_timeout_bound_seconds int check (run_timeout_bound_seconds between 1 and 604680),
  kept_bytes_limit bigint check (kept_bytes_limit >= 1)
);
