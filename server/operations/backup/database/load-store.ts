import { sql } from 'kysely'
import type { Executing, Trx } from '../../../db/database.ts'
import { disableTimeouts } from './table-store.ts'

/** A dropped foreign key, to be restored. */
interface ForeignKey {
  table: string
  name: string
  definition: string
}

/** Whether the database has no table or view. */
export async function isEmptyDatabase(db: Executing): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where relkind in ('r', 'p', 'v', 'm') and relnamespace = current_schema()::regnamespace limit 1
  `.execute(db)
  return rows.length === 0
}

/**
 * Loads all tables in one transaction: no row is visible before `load` has ended. Triggers are disabled and foreign
 * keys dropped during the load, because tables are loaded in the order of their names. Adding the foreign keys again
 * checks them.
 */
export async function whileLoading(
  trx: Trx,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  await disableTimeouts(trx)
  const keys = await listForeignKeys(trx)
  for (const table of tables) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx)
  for (const { table, name } of keys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(trx)
  }
  // Rows that migrations inserted are also in the backup.
  await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(trx)
  await load()
  for (const { table, name, definition } of keys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(
      trx,
    )
  }
  for (const table of tables) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx)
}

async function listForeignKeys(trx: Trx): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select c.relname as table, conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace
    order by c.relname, conname
  `.execute(trx)
  return rows
}

/** Columns that can be inserted. Postgres computes the others. */
export async function listColumns(trx: Trx, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum
  `.execute(trx)
  return rows.map(({ name }) => name)
}

export async function insertRows(
  trx: Trx,
  { table, columns }: { table: string; columns: readonly string[] },
  rows: readonly string[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.id(column)))
  await sql`
    insert into ${sql.table(table)} (${names}) overriding system value
    select ${names} from unnest(${rows}::${sql.table(table)}[])
  `.execute(trx)
}

export async function setSequence(trx: Trx, name: string, last: number): Promise<void> {
  await sql`select setval(${name}::regclass, ${last})`.execute(trx)
}

/** The first statements need table statistics for good plans. */
export async function analyze(db: Executing): Promise<void> {
  await sql`analyze`.execute(db)
}
