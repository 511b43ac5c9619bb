import { sql } from 'kysely'
import { acrossCompanies } from '../../../db/across-companies.ts'
import type { Executing, Trx } from '../../../db/database.ts'

/*
 * Rows are stored in the text form of their row type, which the same type parses without loss. This needs no client
 * program, which the embedded Postgres does not have, and no rights beyond those of the service.
 */

/** Tables that describe the machine rather than the data, and sign-ins and codes for them, which may have ended since. */
const ofMachine = [
  'executors',
  'workers',
  'base_images',
  'host_image_removals',
  'build_memory_turn',
  'process_metrics',
  'sandbox_records',
  'sign_ins',
  'operator_codes',
  'operator_sign_ins',
]
const leftOut = ['kysely_migration', 'kysely_migration_lock', ...ofMachine]

/** Rows per fetch. A row has at most some MiB. */
const rowsAtOnce = 100

/** Fixes the snapshot that a repeatable-read transaction sees. */
export async function takeSnapshot(trx: Trx): Promise<void> {
  await disableTimeouts(trx)
  await sql`select from companies limit 1`.execute(trx)
}

/** Removes the request timeouts from a transaction whose duration depends on the amount of data. */
export async function disableTimeouts(trx: Trx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
}

/** Removes what a backup leaves out. */
export async function emptyMachineTables(trx: Trx): Promise<void> {
  await sql`truncate ${sql.join(ofMachine.map((table) => sql.table(table)))}`.execute(trx)
}

export async function listTables(db: Executing): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> all(${leftOut})
    order by relname
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** The next number of each sequence. Read after the rows, because sequences are not part of a snapshot. */
export async function readSequences(db: Executing): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; last: number }>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = current_schema() and last_value is not null
  `.execute(db)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/** All rows of a table, in the transaction's snapshot. */
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
