import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Files that runs take beside their input, and metadata of runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0130-run-files.sql'), 'utf8')).execute(db)
}
