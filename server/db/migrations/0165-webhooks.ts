import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Webhooks of companies, their signing secrets, and deliveries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0165-webhooks.sql'), 'utf8')).execute(db)
}
