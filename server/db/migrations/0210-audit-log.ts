import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** The audit log: a hash chain per company, what waits to be chained, and the triggers that record changes of rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0210-audit-log.sql'), 'utf8')).execute(db)
}
