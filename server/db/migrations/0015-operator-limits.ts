import { type Kysely, sql } from 'kysely'

/** Limits that the operator has set for one company; null: what the deployment has for all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table company_settings
      add column run_concurrency_limit int check (run_concurrency_limit >= 1),
      add column queued_run_limit int check (queued_run_limit >= 1),
      add column active_build_limit int check (active_build_limit >= 1),
      add column queued_build_limit int check (queued_build_limit >= 1)
  `.execute(db)
}
