-- Builds: attempts to make the image of a version, and what a build may take over from earlier ones.

-- One passage of a version through the stages of a build. Only one attempt of a version is live; an attempt has an end
-- exactly if its state is final; the failed instruction is known at the end; report and SBOM come together.
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
  -- The claim: every write of a worker carries the fence it claimed with.
  fence bigint not null default 0,
  worker text,
  lease_until timestamptz,
  report_object_id text references owned_objects,
  sbom_object_id text references owned_objects,
  -- the instruction of the Dockerfile
  failed_instruction jsonb,
  -- when the log of an ended attempt was removed from storage
  log_removed_at timestamptz,
  -- Claims that no worker gave back: as many workers may have died of this attempt.
  unreturned_claims int not null default 0 check (unreturned_claims >= 0),
  log_bytes bigint not null default 0 check (log_bytes >= 0),
  -- Hosts that its steps reached: null before its builder has ended, and without a network.
  network jsonb,
  unique (environment_version_id, attempt_number),
  constraint build_attempts_check
    check ((terminal_at is not null) = (state in ('completed', 'customer_failed', 'platform_failed', 'cancelled'))),
  constraint build_attempts_check1 check ((report_object_id is null) = (sbom_object_id is null)),
  constraint build_attempts_check2 check (failed_instruction is null or terminal_at is not null)
);
create unique index build_attempts_one_live on build_attempts (environment_version_id)
  where terminal_at is null;
create index build_attempts_queue on build_attempts (queued_at, id) where state = 'validation_queued';
create index build_attempts_leases on build_attempts (lease_until) where terminal_at is null and worker is not null;
create index build_attempts_served on build_attempts (company_id, started_at desc) where started_at is not null;
create index build_attempts_completed on build_attempts (company_id, id desc) where state = 'completed';
create index build_attempts_live_by_company on build_attempts (company_id) where terminal_at is null;

alter table owned_objects add foreign key (build_attempt_id) references build_attempts;

-- When each stage of an attempt started and how it ended. One stage is open at a time; an ended one has an outcome.
create table build_stages (
  attempt_id text not null references build_attempts,
  company_id text not null references companies,
  stage text not null,
  -- of its last pass
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text check (outcome in ('completed', 'failed', 'cancelled', 'interrupted')),
  passes int not null default 1 check (passes >= 1),
  primary key (attempt_id, stage),
  check ((ended_at is null) = (outcome is null))
);
create unique index build_stages_one_open on build_stages (attempt_id) where ended_at is null;

-- A stage that begins notifies streams of events.
create function notify_of_stage() returns trigger language plpgsql as $$
begin
  perform notify_company_change(new.company_id, 'build', new.attempt_id);
  return null;
end $$;
create trigger notify_of_stage after insert or update of passes on build_stages
  for each row execute function notify_of_stage();

-- Until when the operator holds back builds; one row at most.
create table build_fence (
  single boolean primary key default true check (single),
  ends_at timestamptz not null
);

-- The waiting build for which runs and other builds of an executor leave memory. Its claim of builds renews it. It counts
-- while it was renewed recently and the build still waits.
create table build_memory_turn (
  executor text primary key,
  attempt_id text not null references build_attempts on delete cascade,
  reserved_at timestamptz not null,
  renewed_at timestamptz not null,
  check (renewed_at >= reserved_at)
);

-- Images that a company has built, by a key over everything that a build depends on.
create table build_cache (
  company_id text not null references companies,
  key text not null check (key ~ '^sha256:[0-9a-f]{64}$'),
  -- the version that has the image now
  version_id text not null references environment_versions,
  noted_at timestamptz not null default now(),
  -- when the oldest build started that ran a step with a network for the result; null: no step had one
  network_since timestamptz,
  primary key (company_id, key)
);
create index build_cache_versions on build_cache (version_id);
create index build_cache_age on build_cache (noted_at);

-- Facts that the reader found in archives that it accepted.
create table context_facts (
  company_id text not null references companies,
  -- of the archive as it was uploaded
  raw_digest text not null check (raw_digest ~ '^sha256:[0-9a-f]{64}$'),
  archive_format text not null,
  -- of the program that read it
  gate_digest text not null check (gate_digest ~ '^sha256:[0-9a-f]{64}$'),
  canonical_digest text not null check (canonical_digest ~ '^sha256:[0-9a-f]{64}$'),
  bases text[] not null,
  noted_at timestamptz not null default now(),
  -- instructions of the Dockerfile after which layers may be cached
  points jsonb not null,
  -- The base image that the image is built on; null if it starts from `scratch`.
  final_base text,
  primary key (company_id, raw_digest, archive_format, gate_digest)
);
create index context_facts_age on context_facts (noted_at);

-- Cached layers: what the first instructions of Dockerfiles made, kept for later builds of the same company. Attempts that
-- make the same layer at once have a row each.
create table build_prefixes (
  company_id text not null references companies,
  -- over all that the layer depends on
  key text not null check (key ~ '^sha256:[0-9a-f]{64}$'),
  -- the attempt that made it
  attempt_id text not null references build_attempts,
  -- of the stored object
  byte_size bigint not null check (byte_size > 0),
  -- The signed description of the layer; the other columns only say where to look. Null until it is stored.
  envelope jsonb,
  used_at timestamptz not null default now(),
  -- as in build_cache
  network_since timestamptz,
  primary key (company_id, key, attempt_id)
);
create index build_prefixes_age on build_prefixes (used_at);
create index build_prefixes_attempts on build_prefixes (attempt_id);

-- Cached layers that the last build of an environment passed, by the same keys.
create table built_prefixes (
  environment_id text primary key references environments,
  keys text[] not null,
  noted_at timestamptz not null default now()
);
create index built_prefixes_age on built_prefixes (noted_at);

-- Base images that were pulled from registries, by the digest of their manifest.
create table pulled_images (
  -- a company, or 'shared': what anybody could have pulled
  scope text not null,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  -- of the stored object
  object_digest text not null check (object_digest ~ '^sha256:[0-9a-f]{64}$'),
  byte_size bigint not null check (byte_size > 0),
  used_at timestamptz not null default now(),
  -- The company that had it pulled: a shared image, too, counts for one.
  pulled_by text references companies,
  primary key (scope, digest)
);
create index pulled_images_age on pulled_images (used_at);
