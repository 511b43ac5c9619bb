-- Tasks and sharing: programs on versions of environments, what is uploaded for them, whom they are shared with, and the
-- rooms that enabled them.

-- A task of a room, a department or a company.
create table tasks (
  id text primary key,
  company_id text not null references companies,
  owner_scope text not null check (owner_scope in ('chatroom', 'department', 'company')),
  owner_id text not null,
  name text not null check (length(name) between 1 and 256),
  description text not null default '' check (length(description) <= 2048),
  agent_enabled boolean not null default false,
  state text not null default 'active' check (state in ('active', 'archived')),
  security_state text not null default 'clear' check (security_state in ('clear', 'blocked')),
  current_published_version_id text,
  current_draft_version_id text,
  created_at timestamptz not null default now(),
  -- Made by a quick run: no list shows it, and only its room runs it again.
  hidden boolean not null default false,
  -- Addresses that its runs may reach, { domains, cidrs }; null: all that is public.
  egress_allow_list jsonb check (jsonb_typeof(egress_allow_list) = 'object')
);
create index tasks_listed on tasks (company_id, id) where not hidden;

-- Scripts that are uploaded for drafts, whose versions take a copy.
create table script_uploads (
  id text primary key,
  company_id text not null references companies,
  task_id text not null references tasks,
  filename text not null check (length(filename) <= 255),
  content text not null check (octet_length(content) <= 1048576),
  byte_size int not null check (byte_size = octet_length(content)),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index script_uploads_expiry on script_uploads (expires_at);

-- Bundles of files that are uploaded for drafts; versions refer to them.
create table task_bundles (
  id text primary key,
  company_id text not null references companies,
  task_id text not null references tasks,
  filename text not null check (length(filename) <= 255),
  archive_format text not null check (archive_format in ('zip', 'tar.gz')),
  storage_key text not null unique,
  byte_size bigint not null check (byte_size between 1 and 67108864),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  file_count int not null check (file_count between 1 and 2000),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the sweep next checks whether a version refers to it: one that is in use is not read in every round.
  look_at timestamptz not null
);
create index task_bundles_sweep on task_bundles (look_at);

-- A program on one version of an environment, immutable once published. Runs refer to versions (runs.sql).
create table task_versions (
  id text primary key,
  task_id text not null references tasks,
  company_id text not null references companies,
  version_number int not null check (version_number >= 1),
  state text not null default 'draft' check (state in ('draft', 'published', 'archived')),
  content_state text not null default 'active' check (content_state in ('active', 'scrubbed')),
  environment_version_id text not null references environment_versions,
  startup_script text not null default '',
  work_script text not null default '',
  work_command text,
  ordinary_env jsonb,
  input_instructions text,
  input_example text,
  input_schema text,
  timeout_seconds int not null default 1800 check (timeout_seconds between 1 and 604680),
  secret_slot_declarations jsonb,
  requires_confirmation boolean not null default false,
  output_policy jsonb,
  canonical_digest text not null,
  content_hash text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  archived_at timestamptz,
  bundle_id text references task_bundles,
  bundle_digest text,
  -- An output policy acts with their authority.
  published_by text,
  -- nobody but its creator has changed it
  sole_author boolean not null default false,
  unique (task_id, version_number),
  constraint task_versions_check check (state <> 'published' or published_at is not null),
  constraint task_versions_check1 check ((bundle_id is null) = (bundle_digest is null)),
  unique (company_id, task_id, id)
);
create index task_versions_by_bundle on task_versions (bundle_id) where bundle_id is not null;
create index task_versions_pinning on task_versions (environment_version_id) where state <> 'archived';

-- Lets a room, a department or the company use a task. A task has one live grant for a target; each later one has the next
-- generation. Runs refer to grants (runs.sql).
create table share_grants (
  id text primary key,
  company_id text not null references companies,
  task_id text not null references tasks,
  target_kind text not null check (target_kind in ('chatroom', 'department', 'company')),
  target_id text not null,
  generation int not null check (generation >= 1),
  state text not null default 'active' check (state in ('active', 'revoked')),
  owner_authority_generation int not null default 1,
  target_authority_generation int not null default 1,
  secret_slot_policies jsonb,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoke_reason text not null default '',
  unique (task_id, target_kind, target_id, generation),
  check ((state = 'revoked') = (revoked_at is not null))
);
create unique index share_grants_one_live on share_grants (task_id, target_kind, target_id) where state = 'active';
create index share_grants_by_target on share_grants (target_id, task_id) where state = 'active';

-- A room that enabled a shared task, with the version it pinned. A room has one live binding of a task.
create table bindings (
  id text primary key,
  company_id text not null references companies,
  chatroom_id text not null references chatrooms,
  task_id text not null references tasks,
  task_version_id text not null references task_versions,
  generation int not null check (generation >= 1),
  share_generation int not null,
  -- of the room when it enabled the task: a binding of an earlier generation no longer applies
  target_authority_generation int not null,
  state text not null default 'enabled' check (state in ('enabled', 'revoked')),
  accepted_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoke_reason text not null default '',
  unique (chatroom_id, task_id, generation),
  check ((state = 'revoked') = (revoked_at is not null))
);
create unique index bindings_one_live on bindings (chatroom_id, task_id) where state = 'enabled';
create index bindings_by_task on bindings (task_id) where state = 'enabled';
create index bindings_history_of_task on bindings (task_id, id);
create index bindings_history_of_room on bindings (chatroom_id, id);

-- What rooms offer: changes notify streams of events. What may concern several rooms notifies of the menus of all.
create function notify_of_binding() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'menu', new.chatroom_id);
  return null;
end $$;
create trigger notify_of_binding after insert or update on bindings
  for each row execute function notify_of_binding();

create function notify_of_share() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'menu',
    case new.target_kind when 'chatroom' then new.target_id else '*' end);
  return null;
end $$;
create trigger notify_of_share after insert or update on share_grants
  for each row execute function notify_of_share();

create function notify_of_task() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'menu', '*');
  return null;
end $$;
create trigger notify_of_task
  after update of name, description, state, security_state, current_published_version_id on tasks
  for each row execute function notify_of_task();
create trigger notify_of_task_version after update of state, content_state on task_versions
  for each row execute function notify_of_task();
