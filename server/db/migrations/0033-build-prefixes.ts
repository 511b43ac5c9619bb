import { type Kysely, sql } from 'kysely'

/** What the first instructions of Dockerfiles made, kept for later builds of the same company. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_prefixes (
      company_id text not null references companies,
      -- over all that it depends on
      key text not null check (key ~ '^sha256:[0-9a-f]{64}$'),
      -- made it
      attempt_id text not null references build_attempts,
      -- of the stored object
      byte_size bigint not null check (byte_size > 0),
      -- what it is, signed; the other columns only say where to look
      envelope jsonb not null,
      used_at timestamptz not null default now(),
      primary key (company_id, key)
    );
    create index build_prefixes_age on build_prefixes (used_at);
    create index build_prefixes_attempts on build_prefixes (attempt_id);

    -- how far the last build of an environment came, by the same keys
    create table built_prefixes (
      environment_id text primary key references environments,
      keys text[] not null,
      noted_at timestamptz not null default now()
    );
    create index built_prefixes_age on built_prefixes (noted_at);

    -- an archive that was read before may have them too: it is read again
    delete from context_facts;
    alter table context_facts add column points jsonb not null;
  `.execute(db)
}
