import { type Kysely, sql } from 'kysely'

/** Environments, what is uploaded for them, their versions and build attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
      check ((owner_kind = 'system_curated') = (company_id is null))
    );
    create index environments_by_company on environments (company_id, id);

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
      -- while bytes arrive: nobody else sends to this session, and an abort waits for the sender to clean up
      receiving_until timestamptz,
      owned_object_id text,
      created_by text not null,
      created_at timestamptz not null default now(),
      check ((state = 'completed') = (owned_object_id is not null))
    );
    create index upload_sessions_live on upload_sessions (company_id)
      where state in ('initiating', 'uploading', 'completing', 'abort_pending');
    create index upload_sessions_expiry on upload_sessions (session_expires_at)
      where state in ('uploading', 'completing', 'abort_pending');
    create index upload_sessions_recent on upload_sessions (company_id, created_at);

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
      expires_at timestamptz
    );
    create index owned_objects_by_environment on owned_objects (environment_id, id);

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
      unique (environment_id, version_number),
      check (state <> 'ready' or (promoted_digest is not null and layer_digest is not null and ready_at is not null))
    );
    create index environment_versions_retryable on environment_versions (state_changed_at)
      where state = 'retryable_failed';
    create index environment_versions_provisioning on environment_versions (state_changed_at)
      where state = 'regional_provisioning';
    create index environment_versions_by_company on environment_versions (company_id, id);

    create table build_attempts (
      id text primary key,
      company_id text not null references companies,
      environment_version_id text not null references environment_versions,
      attempt_number int not null check (attempt_number >= 1),
      state text not null check (state in
        ('validation_queued', 'validating', 'build_queued', 'building', 'verifying', 'completed',
         'customer_failed', 'platform_failed', 'cancel_requested', 'cancelling', 'cancelled')),
      stage_code text not null default 'build_queued',
      stage_since timestamptz not null default now(),
      error_code text not null default '',
      error_detail text not null default '' check (length(error_detail) <= 128),
      build_region text not null,
      build_profile text not null check (build_profile in ('standard', 'fast', 'large')),
      raw_upload_digest text not null default '',
      canonical_digest text not null default '',
      queued_at timestamptz not null default now(),
      started_at timestamptz,
      terminal_at timestamptz,
      -- who works on it: every write of a worker carries the fence it claimed with
      fence bigint not null default 0,
      worker text,
      lease_until timestamptz,
      unique (environment_version_id, attempt_number),
      check ((terminal_at is not null) = (state in ('completed', 'customer_failed', 'platform_failed', 'cancelled')))
    );
    create unique index build_attempts_one_live on build_attempts (environment_version_id)
      where terminal_at is null;
    create index build_attempts_queue on build_attempts (queued_at, id) where state = 'validation_queued';
    create index build_attempts_leases on build_attempts (lease_until) where terminal_at is null and worker is not null;
    create index build_attempts_served on build_attempts (company_id, started_at desc) where started_at is not null;
    create index build_attempts_completed on build_attempts (company_id, id desc) where state = 'completed';
    create index build_attempts_live_by_company on build_attempts (company_id) where terminal_at is null;
  `.execute(db)
}
