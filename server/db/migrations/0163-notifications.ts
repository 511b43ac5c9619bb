import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** The outbox of events, and the notifications of people. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0163-notifications.sql'), 'utf8')).execute(db)
}
