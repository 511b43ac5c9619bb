import { type Kysely, sql } from 'kysely'

/** Expiring links to results. The token of a link is signed, so the row holds nothing that opens it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
  `.execute(db)
}
