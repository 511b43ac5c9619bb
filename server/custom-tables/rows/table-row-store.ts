import { type Insertable, type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { CustomTableRowsTable } from '../../db/tables/custom-tables.ts'

export type StoredRow = Selectable<CustomTableRowsTable>

/** Writes the table `custom_table_rows`, for transactions that have locked the table of the row. */
export const insertRow = (trx: Trx, row: Insertable<CustomTableRowsTable>): Promise<StoredRow> =>
  trx.insertInto('custom_table_rows').values(row).returningAll().executeTakeFirstOrThrow()

export interface RowKey {
  companyId: string
  tableId: string
  id: string
}

export const findRow = (db: Executing, { companyId, tableId, id }: RowKey): Promise<StoredRow | undefined> =>
  db
    .selectFrom('custom_table_rows')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('table_id', '=', tableId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Replaces the values of a row; its version rises. */
export const replaceValues = (
  trx: Trx,
  row: StoredRow,
  set: { values: string; byte_size: number },
): Promise<StoredRow> =>
  trx
    .updateTable('custom_table_rows')
    .set({ ...set, version: row.version + 1, updated_at: sql`clock_timestamp()` })
    .where('company_id', '=', row.company_id)
    .where('table_id', '=', row.table_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Returns false if there is no such row. */
export async function deleteRow(trx: Trx, { companyId, tableId, id }: RowKey): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('custom_table_rows')
    .where('company_id', '=', companyId)
    .where('table_id', '=', tableId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
