-- Findings: what scans found in the images of environments, followed over their versions, and the vulnerabilities that
-- the operator has imported.

-- One finding of an environment, whatever the number of versions that have it. A blocked one has
-- the operator's reason, and keeps it while it is resolved.
create table security_findings (
  id text primary key,
  company_id text not null references companies,
  environment_id text not null references environments,
  -- over kind, rule and subject: the same finding in every version
  fingerprint text not null check (fingerprint ~ '^sha256:[0-9a-f]{64}$'),
  state text not null default 'discovered' check (state in
    ('discovered', 'reappeared', 'excepted', 'blocked', 'resolved', 'closed')),
  kind text not null check (kind in ('vulnerability', 'secret', 'file')),
  rule text not null check (length(rule) <= 256),
  subject text not null check (length(subject) <= 4096),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'unknown')),
  severity_rank int not null generated always as
    (array_position(array['critical', 'high', 'medium', 'low', 'unknown'], severity)) stored,
  title text not null check (length(title) <= 512),
  installed_version text not null default '',
  fixed_version text not null default '',
  block_reason text check (length(block_reason) <= 512),
  first_version_id text not null references environment_versions,
  last_version_id text not null references environment_versions,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  state_changed_at timestamptz not null default now(),
  -- Reminders of its deadline that the managers got, and from when that deadline is counted: one that occurs again has a
  -- new deadline and no reminders.
  reminders int not null default 0 check (reminders >= 0),
  reminded_since timestamptz,
  unique (environment_id, fingerprint),
  constraint security_findings_blocked check (state <> 'blocked' or block_reason is not null),
  constraint security_findings_block check (block_reason is null or state in ('blocked', 'resolved'))
);
create index security_findings_listed on security_findings (environment_id, severity_rank, id);
create index security_findings_not_closed on security_findings (environment_id) where state <> 'closed';
-- The end of a build reads the open ones, however many were resolved before.
create index security_findings_open on security_findings (environment_id, last_seen_at)
  where state in ('discovered', 'reappeared', 'excepted', 'blocked');
create index security_findings_age on security_findings (state_changed_at) where state in ('resolved', 'closed');

-- Exceptions that owners make for a finding; one is active at a time.
create table security_exceptions (
  id text primary key,
  company_id text not null references companies,
  environment_id text not null references environments,
  finding_id text not null references security_findings,
  state text not null default 'active' check (state in ('active', 'revoked', 'expired')),
  reason text not null check (length(reason) between 1 and 512),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  ended_at timestamptz,
  check ((state = 'active') = (ended_at is null))
);
create unique index security_exceptions_one_active on security_exceptions (finding_id) where state = 'active';
create index security_exceptions_listed on security_exceptions (environment_id, id);
create index security_exceptions_expiry on security_exceptions (expires_at) where state = 'active';
create index security_exceptions_by_finding on security_exceptions (finding_id);
create index security_exceptions_age on security_exceptions (ended_at) where state <> 'active';

-- One row for each file that the operator imported; scans are compared with the last one.
create table vulnerability_imports (
  revision int generated always as identity primary key,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  ecosystems text[] not null,
  vulnerabilities int not null check (vulnerabilities >= 0),
  imported_at timestamptz not null default now()
);

-- The vulnerabilities that were imported last, by package.
create table vulnerabilities (
  ecosystem text not null,
  package text not null,
  id text not null check (length(id) between 1 and 256),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'unknown')),
  title text not null check (length(title) <= 512),
  -- ranges and versions of the package that are affected
  affected jsonb not null,
  primary key (ecosystem, package, id)
);
