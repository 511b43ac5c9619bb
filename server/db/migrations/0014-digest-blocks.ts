import { type Kysely, sql } from 'kysely'

/** Digests of images that the operator has blocked, and what state a version had before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table blocked_digests (
      digest text primary key check (digest ~ '^sha256:[0-9a-f]{64}$'),
      reason text not null check (length(reason) between 1 and 512),
      blocked_at timestamptz not null default now()
    );
    -- while it is blocked
    alter table environment_versions
      add column blocked_from text,
      add check (blocked_from is null or state in ('blocked', 'archived'));
  `.execute(db)
}
