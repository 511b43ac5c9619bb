import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import type {
  TableRow,
  TableRowCreateRequest,
  TableRowDeleted,
  TableRowUpdateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid, ValidationError } from '../../base/errors/validation-error.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { findTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import {
  inTableTransaction,
  lockActiveTable,
  requireTable,
  serializeByTable,
} from '../catalogue/table-access.ts'
import type { TableContext } from '../table-context.ts'
import { checkValues } from './row-values.ts'
import { findRow, type StoredRow } from './table-row-store.ts'
import { addRow, changeRow, removeRow, ValuesRefused } from './write-row.ts'

/* Rows by request (contract part 3, D3). A table that accepts commands only refuses them, whoever asks. */

export async function createRow(
  context: TableContext,
  call: { principal: Principal; tableId: string; idempotencyKey: string; body: TableRowCreateRequest },
): Promise<TableRow> {
  const { principal, tableId, idempotencyKey, body } = call
  const seen = await requireTable(context.db, principal, 'table.write_rows', tableId)
  const chatroomId = await chatroomFor(context, principal, { table: seen, chatroomId: body.chatroom_id })
  const intent = {
    principal,
    route: 'POST /tables/{id}/rows',
    key: idempotencyKey,
    request: { table_id: tableId, ...body },
  }
  // The values are kept with the row alone, where they count to what the company stores. A repeated request has them again.
  let values: RowValues | undefined
  const create = async (trx: Trx) => {
    const table = await lockWritable(trx, principal, tableId)
    // The rule can have changed only while the table had no rows.
    if (table.channel_rule !== seen.channel_rule) throw new CodedError('custom_table_row_changed')
    const added = { values: body.values, chatroomId }
    const { values: stored, ...rest } = renderRow(await reportingValues(() => addRow(trx, table, added)))
    values = stored
    return rest
  }
  const row = await serializeByTable(tableId, () => context.once(intent, create))
  values ??= await storedValues(context.db, seen, body.values)
  return { values, ...row }
}

/** The values that a row was created with. Fields of a table are never removed and keep their types; required ones may be newer. */
async function storedValues(
  db: Executing,
  { company_id, id }: TableRecord,
  given: RowValues,
): Promise<RowValues> {
  const table = await findTable(db, company_id, id)
  const fields = (table?.fields ?? []).map((field) => ({ ...field, required: false }))
  const checked = checkValues(fields, given)
  if (checked.kind === 'refused') throw new Error('a row was created with values that its table refuses')
  return checked.values
}

/** The chatroom of a new row: a live one for a table with a channel rule, none for any other. */
async function chatroomFor(
  { directory }: TableContext,
  principal: Principal,
  { table, chatroomId }: { table: TableRecord; chatroomId: string | undefined },
): Promise<string | null> {
  const loc = ['body', 'chatroom_id']
  if (!table.channel_rule) {
    if (chatroomId !== undefined) throw invalid(loc, 'not_allowed', 'belongs to tables with a channel rule')
    return null
  }
  if (chatroomId === undefined) throw invalid(loc, 'missing', 'is required')
  if (!(await directory.room(principal.companyId, chatroomId)))
    throw invalid(loc, 'not_found', 'must name a chatroom of the company')
  return chatroomId
}

export async function readRow(
  { db }: TableContext,
  principal: Principal,
  { tableId, id }: { tableId: string; id: string },
): Promise<TableRow> {
  await requireTable(db, principal, 'table.read', tableId)
  const row = await findRow(db, { companyId: principal.companyId, tableId, id })
  if (!row) throw notFound()
  return renderRow(row)
}

export async function updateRow(
  { db }: TableContext,
  principal: Principal,
  { tableId, id, body }: { tableId: string; id: string; body: TableRowUpdateRequest },
): Promise<TableRow> {
  return inTableTransaction(db, tableId, async (trx) => {
    const table = await lockWritable(trx, principal, tableId)
    const row = await findRow(trx, { companyId: principal.companyId, tableId, id })
    if (!row) throw notFound()
    if (body.version !== undefined && body.version !== row.version)
      throw new CodedError('custom_table_row_changed')
    return renderRow(await reportingValues(() => changeRow(trx, table, { row, values: body.values })))
  })
}

export async function deleteRowOf(
  { db }: TableContext,
  principal: Principal,
  { tableId, id }: { tableId: string; id: string },
): Promise<TableRowDeleted> {
  return inTableTransaction(db, tableId, async (trx) => {
    const table = await lockWritable(trx, principal, tableId)
    if (!(await removeRow(trx, table, id))) throw notFound()
    return { id, deleted: true }
  })
}

async function lockWritable(trx: Trx, principal: Principal, id: string): Promise<TableRecord> {
  const table = await lockActiveTable(trx, principal, 'table.write_rows', id)
  if (table.commands_only) throw new CodedError('custom_table_commands_only')
  return table
}

/** Refused values as the array of problems. */
export async function reportingValues<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ValuesRefused ? new ValidationError(error.problems) : error
  }
}

export const renderRow = (row: StoredRow): TableRow => ({
  id: row.id,
  table_id: row.table_id,
  version: row.version,
  chatroom_id: row.chatroom_id,
  values: row.values,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
