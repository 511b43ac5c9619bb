import { type Kysely, sql } from 'kysely'

/** What a company built before and need not build again, and what the reader said of archives that it accepted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_cache (
      company_id text not null references companies,
      -- over everything that a build depends on
      key text not null check (key ~ '^sha256:[0-9a-f]{64}$'),
      -- has the image now
      version_id text not null references environment_versions,
      noted_at timestamptz not null default now(),
      primary key (company_id, key)
    );
    create index build_cache_versions on build_cache (version_id);
    create index build_cache_age on build_cache (noted_at);

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
      primary key (company_id, raw_digest, archive_format, gate_digest)
    );
    create index context_facts_age on context_facts (noted_at);

    -- what the owner of a version lets its builds take from earlier ones
    alter table environment_versions add column build_cache text not null default 'images'
      check (build_cache in ('none', 'images'));
  `.execute(db)
}
