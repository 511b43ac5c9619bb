-- Secrets: values for slots of tasks, and the approvals that let a version use them.

-- A value that a consumer supplies for a slot of a task. Each new value has the next generation, over revocations too.
create table secret_bindings (
  id text primary key,
  company_id text not null references companies,
  consumer_scope text not null check (consumer_scope in ('chatroom', 'department', 'company')),
  consumer_id text not null,
  task_id text not null references tasks,
  slot_name text not null check (slot_name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'),
  generation int not null check (generation >= 1),
  state text not null default 'pending' check (state in ('pending', 'active', 'revoking', 'revoked')),
  created_by text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint secret_bindings_revoked check ((state = 'revoked') = (revoked_at is not null)),
  unique (company_id, consumer_scope, consumer_id, task_id, slot_name, generation),
  unique (id, company_id)
);
create unique index secret_bindings_one_live
  on secret_bindings (company_id, consumer_scope, consumer_id, task_id, slot_name) where state <> 'revoked';
-- what a run or a menu finds, and lists
create index secret_bindings_by_task on secret_bindings (company_id, task_id, id);
create index secret_bindings_by_consumer on secret_bindings (company_id, consumer_scope, consumer_id, id);

-- The values, encrypted: the data key of each is wrapped under a key that is not in the database, and both are
-- authenticated over the place of the value. A binding that is not revoked has one, of its present generation.
create table secret_values (
  binding_id text primary key,
  company_id text not null,
  generation int not null,
  -- which key wraps the data key, such as local:1
  key_id text not null check (key_id ~ '^[a-z]{1,16}:[0-9]{1,9}$'),
  wrapped_key bytea not null check (octet_length(wrapped_key) between 1 and 1024),
  iv bytea not null check (octet_length(iv) = 12),
  -- The value has 4 bytes to 64 KiB, the tag 16.
  ciphertext bytea not null check (octet_length(ciphertext) between 20 and 65552),
  created_at timestamptz not null default now(),
  foreign key (binding_id, company_id) references secret_bindings (id, company_id)
);
-- what a rotation has still to wrap anew
create index secret_values_by_key on secret_values (key_id, binding_id);

-- Writes of secrets. They end in the transaction that makes them, and are removed after thirty days.
create table secret_operations (
  id text primary key,
  company_id text not null references companies,
  binding_id text not null,
  operation_type text not null check (operation_type in ('create', 'rotate', 'revoke')),
  generation int not null check (generation >= 1),
  state text not null default 'prepared'
    check (state in ('prepared', 'applying', 'reconciling', 'applied', 'revoking', 'terminal')),
  created_by text not null,
  created_at timestamptz not null default now(),
  foreign key (binding_id, company_id) references secret_bindings (id, company_id)
);
create index secret_operations_age on secret_operations (created_at);
create index secret_operations_by_binding on secret_operations (binding_id);

-- Lets one exact version of a task use secrets of a consumer: as many slots as its hash names, no more and no fewer.
create table secret_approvals (
  id text primary key,
  company_id text not null references companies,
  consumer_scope text not null check (consumer_scope in ('chatroom', 'department', 'company')),
  consumer_id text not null,
  owner_scope text not null check (owner_scope in ('chatroom', 'department', 'company')),
  owner_id text not null,
  task_id text not null,
  task_version_id text not null,
  task_version_digest text not null check (task_version_digest ~ '^sha256:[0-9a-f]{64}$'),
  slot_names text[] not null check (cardinality(slot_names) between 1 and 100),
  slot_set_hash text not null check (slot_set_hash ~ '^sha256:[0-9a-f]{64}$'),
  generation int not null check (generation >= 1),
  state text not null default 'active' check (state in ('active', 'revoked')),
  created_by text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoke_reason text not null default '' check (length(revoke_reason) <= 512),
  -- It also covers the next versions of the task until then, by one author; null in all of these: its own version alone.
  next_until timestamptz,
  next_approved_by text,
  next_author_id text,
  -- number of the approved version
  next_after int,
  -- all slots of the approved version, sorted
  next_slot_names text[],
  -- one generation of the share by which the task reached the consumer
  next_share_grant_id text,
  next_ended_at timestamptz,
  next_end_reason text check (next_end_reason in (
    'revoked', 'expired', 'other_author', 'other_slots', 'share_changed', 'author_left', 'approver_left')),
  constraint secret_approvals_next_whole check (
    num_nonnulls(next_until, next_approved_by, next_author_id, next_after, next_slot_names, next_share_grant_id) in (0, 6)),
  constraint secret_approvals_next_end check (
    (next_ended_at is null) = (next_end_reason is null) and (next_ended_at is null or next_until is not null)),
  constraint secret_approvals_revoked check ((state = 'revoked') = (revoked_at is not null)),
  unique (company_id, consumer_scope, consumer_id, task_version_id, slot_set_hash, generation),
  foreign key (company_id, task_id, task_version_id) references task_versions (company_id, task_id, id)
);
create unique index secret_approvals_one_live
  on secret_approvals (company_id, consumer_scope, consumer_id, task_version_id, slot_set_hash) where state = 'active';
create index secret_approvals_by_task on secret_approvals (company_id, task_id, id);
create index secret_approvals_next on secret_approvals (id) where next_until is not null and next_ended_at is null;

-- Secrets that a run was given: which generation of which secret for each slot, under which share and approvals. Never a value.
create table run_secret_pins (
  run_id text primary key references runs on delete cascade,
  company_id text not null,
  fence bigint not null,
  pins jsonb not null check (jsonb_typeof(pins) = 'object'),
  pinned_at timestamptz not null default now()
);

-- The address to which each wrapped key of an encrypted value was sent first. A reader of a request can send its envelope
-- again, so it counts there alone. A row stays as long as the key pair of the service, whatever becomes of the secret.
create table secret_envelopes (
  -- of the wrapped key; no two values have the same
  digest bytea primary key check (length(digest) = 32),
  company_id text not null references companies,
  consumer_scope text not null,
  consumer_id text not null,
  task_id text not null,
  slot_name text not null,
  created_at timestamptz not null default now()
);

-- Secrets and approvals that a room has or lacks notify streams of events, as a change of its menu.
create function notify_of_consumer() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'menu',
    case new.consumer_scope when 'chatroom' then new.consumer_id else '*' end);
  return null;
end $$;
create trigger notify_of_secret after insert or update of state on secret_bindings
  for each row execute function notify_of_consumer();
create trigger notify_of_approval after insert or update of state on secret_approvals
  for each row execute function notify_of_consumer();
