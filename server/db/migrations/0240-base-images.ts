import { type Kysely, sql } from 'kysely'

/** The operator's base images on the machine that runs jobs, as its worker last saw them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Of the machine and of no company: the worker replaces all rows when the images change.
    create table base_images (
      -- as FROM names it
      name text primary key check (length(name) between 1 and 512),
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      preset text,
      -- code name of the release
      debian text,
      -- [{ "name", "version" }]
      languages jsonb not null,
      packages text[] not null,
      byte_size bigint check (byte_size >= 0),
      made_at timestamptz
    );
  `.execute(db)
}
