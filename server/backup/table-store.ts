import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'

/*
 * Rows as Postgres writes them down: each is the text of its row type, which the same type reads back without loss. It
 * needs no program beside the server, which the embedded one does not have, and no rights beyond those of the service.
 */

/** Of Kysely, and what belongs to a machine and not to what it keeps. */
const leftOut = ['kysely_migration', 'kysely_migration_lock', 'machine_lease']

/** Rows that are fetched at once. The largest a row may be is some MiB. */
const rowsAtOnce = 100

/** From here on a transaction that reads repeatably sees the database as it is now. */
export async function takeSnapshot(trx: Trx): Promise<void> {
  await unbounded(trx)
  await sql`select from companies limit 1`.execute(trx)
}

/** Takes the bounds of a request off a transaction that takes as long as its data. */
export async function unbounded(trx: Trx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
}

export async function listTables(db: Executing): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> all(${leftOut})
    order by relname
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** The next number of each sequence; read behind the rows, since no snapshot holds them. */
export async function readSequences(db: Executing): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; last: number }>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = current_schema() and last_value is not null
  `.execute(db)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/** All rows of a table, in the snapshot of the transaction. */
export async function* readRows(trx: Trx, table: string): AsyncGenerator<string> {
  const cursor = sql.id(`backup_${table}`)
  const declared = acrossCompanies('the operator backs all companies up')
  await sql`${declared} declare ${cursor} no scroll cursor for select t::text as row from ${sql.table(table)} t`.execute(
    trx,
  )
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(rowsAtOnce)} from ${cursor}`.execute(trx)
    for (const { row } of rows) yield row
    if (rows.length < rowsAtOnce) break
  }
  await sql`close ${cursor}`.execute(trx)
}
