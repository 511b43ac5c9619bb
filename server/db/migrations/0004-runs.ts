import { type Kysely, sql } from 'kysely'

/** Runs, what they leave behind, repeated submits, and login-free links. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table runs (
      id text primary key,
      company_id text not null references companies,
      chatroom_id text not null references chatrooms,
      task_id text not null references tasks,
      task_version_id text not null references task_versions,
      environment_version_id text not null references environment_versions,
      share_grant_id text references share_grants,
      state text not null default 'queued' check (state in
        ('queued', 'starting', 'running', 'cancel_requested', 'completed', 'customer_failed', 'platform_failed',
         'cancelled')),
      resource_profile text not null,
      principal_type text not null check (principal_type in ('user', 'social_media_client')),
      principal_id text not null,
      auth_method text not null check (auth_method in ('jwt', 'api_key')),
      api_key_id text,
      submission_source text not null check (submission_source in ('rest', 'agent', 'quick_run', 'custom_table_trigger')),
      timeout_seconds int not null check (timeout_seconds between 1 and 604680),
      input_digest text not null,
      retry_of_run_id text not null default '',
      error_code text not null default '',
      error_detail text not null default '' check (error_detail ~ '^[A-Za-z0-9._@:/+=%;-]{0,128}$'),
      exit_code int,
      failure_stage text not null default '',
      failure_source text not null default '',
      measured_ingress_bytes bigint not null default 0,
      measured_egress_bytes bigint not null default 0,
      peak_memory_bytes bigint,
      cpu_ms bigint,
      queued_at timestamptz not null default now(),
      claimed_at timestamptz,
      started_at timestamptz,
      cancel_requested_at timestamptz,
      terminal_at timestamptz,
      -- who works on it: every write of a worker carries the fence it claimed with
      fence bigint not null default 0,
      worker text,
      lease_until timestamptz,
      -- what the executor knows it by: another one for each claim, since one that never started is forbidden for ever
      sandbox_id text,
      check (state <> 'queued' or worker is null),
      check (state not in ('starting', 'running') or (worker is not null and sandbox_id is not null)),
      check ((terminal_at is not null) = (state in ('completed', 'customer_failed', 'platform_failed', 'cancelled'))),
      check (state <> 'completed' or (exit_code = 0 and error_code = ''))
    );
    create index runs_queue on runs (company_id, chatroom_id, queued_at, id) where state = 'queued';
    create index runs_live on runs (company_id, chatroom_id) where state in ('starting', 'running', 'cancel_requested');
    create index runs_leases on runs (lease_until) where terminal_at is null and worker is not null;
    -- whose turn it is, where the queue stands, and how long such runs take
    create index runs_served_company on runs (company_id, claimed_at desc) where claimed_at is not null;
    create index runs_served_room on runs (chatroom_id, claimed_at desc) where claimed_at is not null;
    create index runs_queue_order on runs (queued_at, id) where state = 'queued';
    create index runs_durations on runs (company_id, resource_profile, terminal_at desc)
      where terminal_at is not null and started_at is not null;
    create index runs_by_room on runs (chatroom_id, queued_at desc, id desc);
    create index runs_by_task on runs (task_id, queued_at desc, id desc);

    create table run_inputs (
      run_id text primary key references runs,
      company_id text not null references companies,
      content bytea not null check (length(content) <= 1048576)
    );

    create table run_contents (
      run_id text primary key references runs,
      company_id text not null references companies,
      state text not null default 'active',
      output_key text,
      output_bytes bigint,
      output_digest text,
      log_key text,
      log_bytes bigint,
      log_digest text,
      bundle_key text,
      bundle_bytes bigint,
      created_at timestamptz not null default now()
    );

    create table run_artifacts (
      id text primary key,
      run_id text not null references runs,
      company_id text not null references companies,
      relative_path text not null check (length(relative_path) between 1 and 1024),
      path_hash text not null,
      bundle_offset bigint not null,
      byte_size bigint not null,
      digest text not null,
      deletion_state text not null default 'active' check (deletion_state in
        ('active', 'delete_pending', 'deleted', 'tombstoned')),
      declared_content_type text not null,
      unique (run_id, relative_path)
    );

    create table idempotency_keys (
      company_id text not null references companies,
      principal_id text not null,
      route text not null,
      key text not null check (length(key) between 1 and 128),
      request_hash text not null,
      -- the answer to repeat, to the letter; null while the first call is under way in its own transaction
      response json,
      created_at timestamptz not null default now(),
      primary key (company_id, principal_id, route, key)
    );

    create table public_links (
      id text primary key,
      company_id text not null references companies,
      run_id text not null references runs,
      object_kind text not null check (object_kind in ('log', 'output', 'artifact')),
      artifact_id text references run_artifacts,
      -- the token itself is derived from the id under a key kept outside the database
      token_hash bytea not null unique,
      created_by text not null,
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      check ((object_kind = 'artifact') = (artifact_id is not null))
    );
    create unique index public_links_one_live on public_links (run_id, object_kind, coalesce(artifact_id, ''))
      where revoked_at is null;
  `.execute(db)
}
