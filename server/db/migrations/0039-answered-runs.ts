import { type Kysely, sql } from 'kysely'

/**
 * The run that a key was answered with: of such an answer the key keeps only what the run's row does not tell, since each
 * submission stores one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_keys add column run_id text`.execute(db)
}
