import { type Kysely, sql } from 'kysely'

/** Base images that were pulled out of registries, by the digest of their manifest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pulled_images (
      -- a company, or shared by all: what anybody could have pulled
      scope text not null,
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      -- of the stored object
      object_digest text not null check (object_digest ~ '^sha256:[0-9a-f]{64}$'),
      byte_size bigint not null check (byte_size > 0),
      used_at timestamptz not null default now(),
      primary key (scope, digest)
    );
    create index pulled_images_age on pulled_images (used_at);
  `.execute(db)
}
