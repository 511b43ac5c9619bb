import { type Kysely, sql } from 'kysely'

/** Curated environments are published by their name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unique index environments_curated_names on environments (name)
      where owner_kind = 'system_curated' and state = 'active'
  `.execute(db)
}
