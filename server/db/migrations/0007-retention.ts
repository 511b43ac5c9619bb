import { type Kysely, sql } from 'kysely'

/** Tasks that no list shows, and what tells the sweeps whose time is over, each by an index of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Made by a quick run: no list shows it, and only its room runs it again.
    alter table tasks add column hidden boolean not null default false;
    drop index tasks_by_company;
    create index tasks_listed on tasks (company_id, id) where not hidden;

    alter table runs add column content_expired_at timestamptz;
    create index runs_with_content on runs (company_id, terminal_at)
      where terminal_at is not null and content_expired_at is null;

    create index idempotency_keys_by_age on idempotency_keys (created_at);

    -- An image is held by layer_digest; on its way out its digest moves to retiring_layer_digest, then nowhere.
    alter table environment_versions add column retiring_layer_digest text;
    alter table environment_versions add column unreferenced_since timestamptz;
    alter table environment_versions add check (layer_digest is null or retiring_layer_digest is null);
    create index environment_versions_with_layer on environment_versions (layer_digest) where layer_digest is not null;
    create index environment_versions_unreferenced on environment_versions (unreferenced_since)
      where unreferenced_since is not null;
    create index environment_versions_retiring on environment_versions (id) where retiring_layer_digest is not null;
    create index task_versions_pinning on task_versions (environment_version_id) where state <> 'archived';
  `.execute(db)
}
