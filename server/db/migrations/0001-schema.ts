import { type Kysely, sql } from 'kysely'
import { firstSchema } from '../first-schema.ts'

/** The whole schema of the first release. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const text of firstSchema) await sql.raw(text).execute(db)
}
