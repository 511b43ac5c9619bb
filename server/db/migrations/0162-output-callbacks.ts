import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Credentials with which runs write to custom tables, and what they did with them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0162-output-callbacks.sql'), 'utf8')).execute(db)
}
