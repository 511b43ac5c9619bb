-- Results: what runs leave, who follows them, and links to what they left.

-- Where the log, the output and the artifacts of a run are. Tombstoned: they are removed, and the row says that they were.
create table run_contents (
  run_id text primary key references runs,
  company_id text not null references companies,
  state text not null default 'active' check (state in ('active', 'delete_pending', 'tombstoned')),
  output_key text,
  output_bytes bigint,
  output_digest text,
  log_key text,
  log_bytes bigint,
  log_digest text,
  bundle_key text,
  bundle_bytes bigint,
  created_at timestamptz not null default now(),
  -- Why no artifact was kept: the broken rule, and the file that broke it as it may be shown.
  refused_rule text,
  refused_path text,
  constraint run_contents_refused_check check (
    length(refused_rule) between 1 and 31
    and (refused_path is null or (refused_rule is not null and length(refused_path) between 1 and 300)))
);
-- Content that was deleted before its time, or has objects that could not be removed yet.
create index run_contents_pending on run_contents (run_id) where state = 'delete_pending';

-- The files of a run's bundle of artifacts, and where each begins in it.
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
  -- as the run left it, to the second; null where it is unknown
  modified_at timestamptz,
  unique (run_id, relative_path)
);

-- Connections that a run tried and that were refused: a row for each run that has any, as long as its content is kept.
create table run_refusals (
  run_id text primary key references runs,
  company_id text not null references companies,
  entries jsonb not null check (jsonb_typeof(entries) = 'array' and jsonb_array_length(entries) <= 200),
  -- refusals beyond those listed
  more bigint not null check (more >= 0)
);

-- The newest part of the log of each run and build that somebody follows, from the worker to the API. Not logged: what a
-- crash of the database takes with it is requested again.
create unlogged table live_logs (
  -- a run or a build attempt
  subject_id text primary key,
  company_id text not null,
  wanted_until timestamptz not null,
  -- offset of the bytes in the log
  start bigint not null default 0 check (start >= 0),
  bytes bytea not null default '' check (length(bytes) <= 262144)
);
create index live_logs_wanted on live_logs (wanted_until);

-- Links that open a log, an output or an artifact without a login. A thing has one live link.
create table public_links (
  id text primary key,
  company_id text not null references companies,
  run_id text not null references runs,
  object_kind text not null check (object_kind in ('log', 'output', 'artifact')),
  artifact_id text references run_artifacts,
  -- The token itself is derived from the id under a key kept outside the database.
  token_hash bytea not null unique,
  created_by text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  check ((object_kind = 'artifact') = (artifact_id is not null))
);
create unique index public_links_one_live on public_links (run_id, object_kind, coalesce(artifact_id, ''))
  where revoked_at is null;

-- Links that expire. The token of a link is signed, so the row holds nothing that opens it.
create table signed_links (
  id text primary key,
  company_id text not null references companies,
  run_id text not null references runs,
  purpose text not null check (purpose in ('share', 'media', 'download')),
  object_kind text not null check (object_kind in ('run', 'log', 'output', 'artifact')),
  artifact_id text references run_artifacts,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((object_kind = 'artifact') = (artifact_id is not null)),
  -- A share shows a run as a whole, the others one object of it.
  check ((purpose = 'share') = (object_kind = 'run'))
);
create index signed_links_by_run on signed_links (run_id, created_at desc) where revoked_at is null;
create index signed_links_by_age on signed_links (expires_at);

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
  expires_at timestamptz not null,
  -- what the run has done with it
  effects int not null default 0 check (effects >= 0)
);
create index run_output_credentials_age on run_output_credentials (expires_at);

-- Effects of a run, by the name that it gave them: written in the transaction of the row, so that a repeated call finds
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
