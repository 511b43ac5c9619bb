import { type Kysely, sql } from 'kysely'

/** The front of one company's queue, whichever rooms its runs are in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index runs_company_queue on runs (company_id, queued_at, id) where state = 'queued';
  `.execute(db)
}
