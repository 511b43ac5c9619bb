import { type Kysely, sql } from 'kysely'

/** When each stage of a build began and how it ended, and which instruction of the Dockerfile failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_stages (
      attempt_id text not null references build_attempts,
      company_id text not null references companies,
      stage text not null,
      -- of the last time that it was begun
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      outcome text check (outcome in ('completed', 'failed', 'cancelled', 'interrupted')),
      passes int not null default 1 check (passes >= 1),
      primary key (attempt_id, stage),
      check ((ended_at is null) = (outcome is null))
    );
    create unique index build_stages_one_open on build_stages (attempt_id) where ended_at is null;

    alter table build_attempts
      add column failed_instruction jsonb check (failed_instruction is null or terminal_at is not null);
  `.execute(db)
}
