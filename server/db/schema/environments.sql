-- Environments: what programs run in, what is uploaded for them, and their immutable versions.

-- An environment of a company or of one of its departments. A curated one is the platform's: it has no company, and every
-- company may use it by its name.
create table environments (
  id text primary key,
  company_id text references companies,
  owner_kind text not null check (owner_kind in ('system_curated', 'company')),
  owner_scope text not null check (owner_scope in ('company', 'department')),
  owner_id text not null,
  name text not null check (length(name) between 1 and 256),
  description text not null default '' check (length(description) <= 2048),
  state text not null default 'active' check (state in ('active', 'archived')),
  security_state text not null default 'clear' check (security_state in ('clear', 'blocked')),
  current_version_id text,
  created_at timestamptz not null default now(),
  -- The import of vulnerabilities that the findings of the current version were last compared with.
  vulnerabilities_revision int not null default 0,
  -- Addresses that its runs may reach, { domains, cidrs }; null: all that is public.
  egress_allow_list jsonb check (jsonb_typeof(egress_allow_list) = 'object'),
  check ((owner_kind = 'system_curated') = (company_id is null))
);
create index environments_by_company on environments (company_id, id);
create unique index environments_curated_names on environments (name)
  where owner_kind = 'system_curated' and state = 'active';

-- The upload of one archive to build from. A session that is completed owns the object that its bytes became.
create table upload_sessions (
  id text primary key,
  company_id text not null references companies,
  environment_id text references environments,
  object_kind text not null check (object_kind in ('context')),
  archive_format text not null check (archive_format in ('zip', 'tar', 'tar.gz')),
  declared_bytes bigint not null check (declared_bytes between 1 and 1073741824),
  state text not null check (state in
    ('initiating', 'uploading', 'completing', 'completed', 'abort_pending', 'aborted')),
  capability_hash bytea not null,
  capability_expires_at timestamptz not null,
  session_expires_at timestamptz not null,
  received_bytes bigint,
  received_digest text,
  storage_key text,
  -- While bytes arrive: nobody else sends to this session, and an abort waits for the sender to clean up.
  receiving_until timestamptz,
  owned_object_id text,
  created_by text not null,
  created_at timestamptz not null default now(),
  -- The storage key that bytes arrive under until they are the session's own: a sweep finds what a dead process left.
  unused_key text,
  check ((state = 'completed') = (owned_object_id is not null))
);
create index upload_sessions_live on upload_sessions (company_id)
  where state in ('initiating', 'uploading', 'completing', 'abort_pending');
create index upload_sessions_expiry on upload_sessions (session_expires_at)
  where state in ('uploading', 'completing', 'abort_pending');
create index upload_sessions_recent on upload_sessions (company_id, created_at);
create index upload_sessions_unused on upload_sessions (receiving_until) where unused_key is not null;

-- A lease on the space that an upload needs while it arrives. It holds a storage key only while it is held.
create table staging_leases (
  id text primary key,
  company_id text not null references companies,
  object_kind text not null check (object_kind in ('script', 'bundle', 'report', 'input')),
  declared_bytes bigint not null check (declared_bytes >= 0),
  -- bytes that nothing else owns while the lease is held
  storage_key text,
  created_at timestamptz not null default now(),
  -- Null once the upload has ended; the row still counts as an upload that was started for a minute.
  held_until timestamptz,
  check (held_until is not null or storage_key is null)
);
create index staging_leases_recent on staging_leases (company_id, created_at);
create index staging_leases_held on staging_leases (company_id) where held_until is not null;
create index staging_leases_overdue on staging_leases (held_until) where held_until is not null;
create index staging_leases_ended on staging_leases (created_at) where held_until is null;

-- Objects in storage that a row of their own stands for. A report, and only a report, names the build that made it.
create table owned_objects (
  id text primary key,
  company_id text not null references companies,
  environment_id text references environments,
  object_kind text not null check (object_kind in
    ('context', 'input', 'output', 'log', 'artifact_bundle', 'report')),
  archive_format text,
  storage_key text not null unique,
  byte_size bigint not null,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  deletion_state text not null default 'active' check (deletion_state in
    ('active', 'delete_pending', 'deleted', 'tombstoned')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  -- References build_attempts (builds.sql), which references this table.
  build_attempt_id text,
  check ((object_kind = 'report') = (build_attempt_id is not null))
);
create index owned_objects_by_environment on owned_objects (environment_id, id);
create index owned_objects_reports on owned_objects (id)
  where object_kind = 'report' and deletion_state in ('active', 'delete_pending');

-- Releases of the runner, the platform's layer above every image, and who approved them.
create table runner_releases (
  -- made from the digest of the layer
  release text primary key check (release ~ '^runner-[0-9a-f]{16}$'),
  layer_digest text not null unique check (layer_digest ~ '^sha256:[0-9a-f]{64}$'),
  abi_revision int not null check (abi_revision >= 1),
  first_seen_at timestamptz not null default now(),
  approved_at timestamptz,
  approved_by text check (approved_by in ('declared', 'operator')),
  check ((approved_at is null) = (approved_by is null))
);

-- Images in a registry of a cluster: the layers of versions with the platform's layer above them, by which pods start. A row says
-- that the registry was seen to have the image.
create table composed_images (
  -- of the layers alone, as environment_versions.layer_digest has it
  installed_digest text not null check (installed_digest ~ '^sha256:[0-9a-f]{64}$'),
  -- of the platform's layer, uncompressed
  runner_digest text not null check (runner_digest ~ '^sha256:[0-9a-f]{64}$'),
  -- the registry and the name in it
  repository text not null check (length(repository) between 3 and 512),
  -- of the manifest
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  pushed_at timestamptz not null default now(),
  primary key (installed_digest, runner_digest, repository)
);

-- Digests of images that the operator has blocked.
create table blocked_digests (
  digest text primary key check (digest ~ '^sha256:[0-9a-f]{64}$'),
  reason text not null check (length(reason) between 1 and 512),
  blocked_at timestamptz not null default now()
);

-- One immutable image of an environment: an archive, a resource profile and, once built, digests. A version that is ready
-- has an image. The image is held by layer_digest; when it is removed, its digest moves to retiring_layer_digest and then
-- goes, so a layer is never in both. Runs refer to versions (runs.sql).
create table environment_versions (
  id text primary key,
  company_id text references companies,
  environment_id text not null references environments,
  version_number int not null check (version_number >= 1),
  state text not null default 'draft' check (state in
    ('draft', 'build_queued', 'building', 'quarantined', 'verifying', 'verified', 'regional_provisioning',
     'ready', 'retryable_failed', 'rejected', 'abandoned', 'blocked', 'superseded', 'archived',
     'provisioning_blocked')),
  security_state text not null default 'clear' check (security_state in ('clear', 'blocked')),
  resource_profile text not null,
  owned_object_id text references owned_objects,
  source_digest text,
  source_ref text not null default '',
  -- digest of the image manifest in the OCI layout
  promoted_digest text,
  -- digest over the customer's layer and the platform's layer that run above it
  composed_execution_digest text,
  -- sha256 of the flat, uncompressed layer: what the executor installs and starts
  layer_digest text,
  -- what a run takes from the image's configuration: env, user
  image_config jsonb,
  unpacked_bytes bigint,
  compressed_bytes bigint,
  ready_at timestamptz,
  verified_at timestamptz,
  state_changed_at timestamptz not null default now(),
  last_build_attempt_id text,
  created_at timestamptz not null default now(),
  retiring_layer_digest text,
  unreferenced_since timestamptz,
  -- what the owner wants between its runs and the host's kernel
  isolation text not null default 'standard' check (isolation in ('standard', 'gvisor')),
  -- what it was composed and verified with
  runner_release text references runner_releases,
  policy_revision text,
  -- slug of what is wrong with the image, while the version is provisioning_blocked
  blocked_reason text not null default '',
  -- its state before the operator blocked its digest
  blocked_from text,
  -- what its builds may take from earlier ones
  build_cache text not null default 'images' check (build_cache in ('none', 'images')),
  -- since when it is to move to a newer runner, and when a build for that first failed
  handoff_since timestamptz,
  handoff_failed_at timestamptz,
  -- when its managers were last notified that its image could not be taken from storage again
  renewal_blocked_at timestamptz,
  unique (environment_id, version_number),
  constraint environment_versions_check
    check (state <> 'ready' or (promoted_digest is not null and layer_digest is not null and ready_at is not null)),
  constraint environment_versions_check1 check (layer_digest is null or retiring_layer_digest is null),
  constraint environment_versions_check2 check (blocked_from is null or state in ('blocked', 'archived'))
);
create index environment_versions_retryable on environment_versions (state_changed_at)
  where state = 'retryable_failed';
create index environment_versions_provisioning on environment_versions (state_changed_at)
  where state = 'regional_provisioning';
create index environment_versions_by_company on environment_versions (company_id, id);
create index environment_versions_with_layer on environment_versions (layer_digest) where layer_digest is not null;
create index environment_versions_unreferenced on environment_versions (unreferenced_since)
  where unreferenced_since is not null;
create index environment_versions_retiring on environment_versions (id) where retiring_layer_digest is not null;
create index environment_versions_handoffs on environment_versions (handoff_since) where handoff_since is not null;
create index environment_versions_by_source on environment_versions (environment_id, source_digest)
  where state = 'ready';

-- The operator's base images of each executor, as its worker last saw them. Of no company: the worker replaces all rows of its
-- executor when the images change.
create table base_images (
  executor text not null,
  -- as FROM names it
  name text not null check (length(name) between 1 and 512),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  preset text,
  -- code name of the release
  debian text,
  -- [{ "name", "version" }]
  languages jsonb not null,
  packages text[] not null,
  byte_size bigint check (byte_size >= 0),
  made_at timestamptz,
  primary key (executor, name)
);

-- Layers that other executors may still have on their hosts, since the image that had them was removed.
create table host_image_removals (
  executor text not null,
  layer_digest text not null,
  primary key (executor, layer_digest)
);
