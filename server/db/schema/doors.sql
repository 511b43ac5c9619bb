-- Doors: addresses for the code tools of platforms.

-- A door maps a key to a room, and its languages to environment versions. Removing it deletes the rows: a run names its
-- door as its key, and does not start without it.
create table doors (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null,
  -- as whom its runs are submitted
  owner_user_id text not null,
  name text not null check (length(name) between 1 and 256),
  kind text not null check (kind in ('dify', 'piston', 'librechat', 'open_terminal')),
  network boolean not null,
  timeout_seconds int not null check (timeout_seconds between 1 and 300),
  -- HMAC-SHA-256 of the key under the pepper of that number
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  pepper integer not null check (pepper between 0 and 999999),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  unique (company_id, id),
  foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
  foreign key (company_id, owner_user_id) references users (company_id, id)
);
create unique index doors_name on doors (chatroom_id, name);

create table door_runtimes (
  door_id text not null,
  company_id text not null,
  -- in the order of the request
  place int not null check (place between 0 and 31),
  language text not null check (length(language) between 1 and 64),
  version text not null check (length(version) between 1 and 64),
  aliases text[] not null check (cardinality(aliases) <= 32),
  environment_version_id text not null references environment_versions,
  run_command text not null check (length(run_command) between 1 and 1024),
  compile_command text check (length(compile_command) between 1 and 1024),
  primary key (door_id, place),
  unique (door_id, language, version),
  foreign key (company_id, door_id) references doors (company_id, id) on delete cascade
);
create index door_runtimes_by_version on door_runtimes (environment_version_id);
