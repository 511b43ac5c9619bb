import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Human turns, gateway keys, external people in rooms, and proposals of agents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0100-agents.sql'), 'utf8')).execute(db)
}
