import { type Kysely, sql } from 'kysely'

/** Scripts and bundles that are uploaded for drafts, and the places that uploads hold while they arrive. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
      -- when the sweep looks next whether a version holds it: one that is held is not looked at in every round
      look_at timestamptz not null
    );
    create index task_bundles_sweep on task_bundles (look_at);

    alter table task_versions
      add column bundle_id text references task_bundles,
      add column bundle_digest text,
      add check ((bundle_id is null) = (bundle_digest is null));
    create index task_versions_by_bundle on task_versions (bundle_id) where bundle_id is not null;

    create table staging_leases (
      id text primary key,
      company_id text not null references companies,
      object_kind text not null check (object_kind in ('script', 'bundle')),
      declared_bytes bigint not null check (declared_bytes >= 0),
      -- bytes that nothing else owns while the lease is held
      storage_key text,
      created_at timestamptz not null default now(),
      -- null once the upload has ended; the row still counts as an init for a minute
      held_until timestamptz,
      check (held_until is not null or storage_key is null)
    );
    create index staging_leases_recent on staging_leases (company_id, created_at);
    create index staging_leases_held on staging_leases (company_id) where held_until is not null;
    create index staging_leases_overdue on staging_leases (held_until) where held_until is not null;
    create index staging_leases_ended on staging_leases (created_at) where held_until is null;
  `.execute(db)
}
