import { customTableMachine } from '@sandbox-jobs/contract/states/custom-table-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { CustomTablesTable } from '../../db/tables/custom-tables.ts'
import { recordCreated, transition } from '../../db/transition.ts'

export type TableRecord = Selectable<CustomTablesTable>

/** Writes the table `custom_tables`. */
export async function insertTable(trx: Trx, table: Insertable<CustomTablesTable>): Promise<TableRecord> {
  const row = await trx.insertInto('custom_tables').values(table).returningAll().executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: customTableMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

const tableOf = (db: Executing, companyId: string, id: string) =>
  db.selectFrom('custom_tables').selectAll().where('company_id', '=', companyId).where('id', '=', id)

export const findTable = (db: Executing, companyId: string, id: string): Promise<TableRecord | undefined> =>
  tableOf(db, companyId, id).executeTakeFirst()

/** The table, locked until the transaction ends: its rows, fields and flags change in no other one. */
export const lockTable = (trx: Trx, companyId: string, id: string): Promise<TableRecord | undefined> =>
  tableOf(trx, companyId, id).forNoKeyUpdate().executeTakeFirst()

/** Of creations in one company each waits here for the one before it, so that their number is exact. */
export async function countActiveTables(trx: Trx, companyId: string, atMost: number): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`custom-tables\n${companyId}`}, 0))`.execute(trx)
  const rows = await trx
    .selectFrom('custom_tables')
    .select('id')
    .where('company_id', '=', companyId)
    .where('state', '=', 'active')
    .limit(atMost)
    .execute()
  return rows.length
}

export type TableChange = Partial<
  Pick<TableRecord, 'name' | 'description' | 'commands_only' | 'channel_rule'> & { fields: string }
>

/** Changes a table that the transaction has locked. */
export const changeTable = (trx: Trx, table: TableRecord, set: TableChange): Promise<TableRecord> =>
  trx
    .updateTable('custom_tables')
    .set(set)
    .where('company_id', '=', table.company_id)
    .where('id', '=', table.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Adds to the number of rows of a table that the transaction has locked. */
export const addToRowCount = (
  trx: Trx,
  table: Pick<TableRecord, 'company_id' | 'id'>,
  by: 1 | -1,
): Promise<unknown> =>
  trx
    .updateTable('custom_tables')
    .set({ row_count: sql`row_count + ${by}` })
    .where('company_id', '=', table.company_id)
    .where('id', '=', table.id)
    .execute()

export const archiveTableRow = (trx: Trx, table: TableRecord, archivedAt: Date) =>
  transition(trx, {
    table: 'custom_tables',
    machine: customTableMachine,
    id: table.id,
    companyId: table.company_id,
    to: 'archived',
    set: { archived_at: archivedAt },
  })

export interface TableListFilter {
  companyId: string
  /** Undefined: all owners of the company. */
  departmentIds: readonly string[] | undefined
  states: readonly TableRecord['state'][] | undefined
  afterId: string | undefined
  limit: number
}

/** In the order of their ids. */
export function listTableRows(db: Executing, filter: TableListFilter): Promise<TableRecord[]> {
  let query = db.selectFrom('custom_tables').selectAll().where('company_id', '=', filter.companyId)
  if (filter.departmentIds) {
    if (filter.departmentIds.length === 0) return Promise.resolve([])
    query = query.where('owner_scope', '=', 'department').where('owner_id', 'in', filter.departmentIds)
  }
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}
