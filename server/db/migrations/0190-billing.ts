import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** Prices, what runs and builds reserve and cost, budgets of companies, and their usage by day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0190-billing.sql'), 'utf8')).execute(db)
}
