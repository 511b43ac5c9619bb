import { type Kysely, sql } from 'kysely'

/** A large build does not wait for ever behind runs and small builds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The waiting build for which runs and other builds leave memory; one row at most. The claim of builds renews it. It
    -- counts while it was renewed recently and the build still waits.
    create table build_memory_turn (
      single boolean primary key default true check (single),
      attempt_id text not null references build_attempts on delete cascade,
      reserved_at timestamptz not null,
      renewed_at timestamptz not null,
      check (renewed_at >= reserved_at)
    );
  `.execute(db)
}
