import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Triggers of custom tables, and the outbox of row events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0200-table-triggers.sql'), 'utf8')).execute(db)
}
