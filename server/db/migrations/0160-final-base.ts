import { type Kysely, sql } from 'kysely'

/** The base image that the image of a context is built on; null if it starts from `scratch`, or an older program read the context. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table context_facts add column final_base text`.execute(db)
}
