-- Companies: their departments, rooms and people, and what a company and its operator have set. A reference between two
-- things of a tenant carries the company, so that no row joins two tenants.

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
  -- whether the service posts the end of runs in the room
  announces_runs boolean not null default false,
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
  -- null: the person has still to choose a password, at an address that an administrator gave them
  password_hash text,
  -- 0 auditor, 1 member, 2 department manager, 3 company manager, 4 company administrator
  role int not null check (role between 0 and 4),
  -- Raised by a new password and by disabling: login tokens of an earlier generation are refused.
  credential_generation int not null default 1 check (credential_generation >= 1),
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  -- Where the operator's directory says that they get e-mail. Tenants cannot set it: the operator's server would write to
  -- anybody.
  email text check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:]]'),
  unique (company_id, id)
);

-- Managers of departments.
create table department_managers (
  department_id text not null,
  user_id text not null,
  company_id text not null references companies,
  primary key (user_id, department_id),
  foreign key (company_id, department_id) references departments (company_id, id),
  foreign key (company_id, user_id) references users (company_id, id)
);

-- Members of rooms, some of whom manage them.
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

-- Rooms that a person has marked: they come first in lists of rooms.
create table favorite_chatrooms (
  user_id text not null,
  chatroom_id text not null,
  company_id text not null references companies,
  primary key (user_id, chatroom_id),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
  foreign key (company_id, user_id) references users (company_id, id)
);

-- How the console looks and behaves for a person. No row: as it does by itself.
create table console_preferences (
  user_id text primary key,
  company_id text not null references companies,
  language text check (language in ('en', 'de')),
  time_zone text check (length(time_zone) between 1 and 64),
  theme text not null check (theme in ('system', 'light', 'dark')),
  single_keys boolean not null,
  log_wrap boolean not null,
  foreign key (company_id, user_id) references users (company_id, id)
);

-- External people in rooms, known to the company by channel and client id. A removed one keeps its row, since runs refer
-- to it.
create table social_media_clients (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  channel text not null check (channel in ('line', 'messenger', 'whatsapp')),
  client_id text not null check (client_id ~ '^[A-Za-z0-9_.:@+-]{1,128}$'),
  display_name text not null default '' check (length(display_name) <= 256),
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id)
);
create unique index social_media_clients_live
  on social_media_clients (company_id, channel, client_id) where removed_at is null;
create index social_media_clients_by_room on social_media_clients (chatroom_id, id);

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
  kept_bytes_limit bigint check (kept_bytes_limit >= 1),
  -- The most that results of build steps with a network may be kept in the cache.
  network_cache_days int check (network_cache_days between 1 and 30)
);
