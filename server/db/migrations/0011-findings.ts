import { type Kysely, sql } from 'kysely'

/** What the scan of a build leaves: its report and SBOM, findings over time, and the database of vulnerabilities. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table build_attempts
      add column report_object_id text references owned_objects,
      add column sbom_object_id text references owned_objects,
      add check ((report_object_id is null) = (sbom_object_id is null));
    -- of a report: the build that left it
    alter table owned_objects
      add column build_attempt_id text references build_attempts,
      add check ((object_kind = 'report') = (build_attempt_id is not null));
    create index owned_objects_reports on owned_objects (id)
      where object_kind = 'report' and deletion_state in ('active', 'delete_pending');

    alter table staging_leases drop constraint staging_leases_object_kind_check;
    alter table staging_leases add check (object_kind in ('script', 'bundle', 'report'));

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
      -- the operator's reason, while it is blocked
      block_reason text check (length(block_reason) <= 512),
      first_version_id text not null references environment_versions,
      last_version_id text not null references environment_versions,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      state_changed_at timestamptz not null default now(),
      unique (environment_id, fingerprint),
      check ((state = 'blocked') = (block_reason is not null))
    );
    create index security_findings_listed on security_findings (environment_id, severity_rank, id);
    create index security_findings_not_closed on security_findings (environment_id) where state <> 'closed';

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

    -- one row for each file that the operator imported; the last one is what scans are compared with
    create table vulnerability_imports (
      revision int generated always as identity primary key,
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      ecosystems text[] not null,
      vulnerabilities int not null check (vulnerabilities >= 0),
      imported_at timestamptz not null default now()
    );
    create table vulnerabilities (
      ecosystem text not null,
      package text not null,
      id text not null check (length(id) between 1 and 256),
      severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'unknown')),
      title text not null check (length(title) <= 512),
      -- ranges and versions of it that are affected
      affected jsonb not null,
      primary key (ecosystem, package, id)
    );
    -- what the findings of an environment's current version were compared with last
    alter table environments add column vulnerabilities_revision int not null default 0;
  `.execute(db)
}
