import { type Kysely, sql } from 'kysely'

/** The logs of builds are followed as those of runs are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_logs rename column run_id to subject_id`.execute(db)
}
