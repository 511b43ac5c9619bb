import { type Kysely, sql } from 'kysely'

/** Which runner a version was composed and proved with, and which runners the operator approves of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table runner_releases (
      -- named by the digest of the layer above every image
      release text primary key check (release ~ '^runner-[0-9a-f]{16}$'),
      layer_digest text not null unique check (layer_digest ~ '^sha256:[0-9a-f]{64}$'),
      abi_revision int not null check (abi_revision >= 1),
      first_seen_at timestamptz not null default now(),
      approved_at timestamptz,
      approved_by text check (approved_by in ('declared', 'operator')),
      check ((approved_at is null) = (approved_by is null))
    );

    alter table environment_versions add column runner_release text references runner_releases;
    alter table environment_versions add column policy_revision text;
    -- slug of what is wrong with the image, while the version is provisioning_blocked
    alter table environment_versions add column blocked_reason text not null default '';
    create index environment_versions_by_source on environment_versions (environment_id, source_digest)
      where state = 'ready';
  `.execute(db)
}
