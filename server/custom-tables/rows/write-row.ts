import { rowsOfTableMax } from '@sandbox-jobs/contract/limits.ts'
import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { ValidationProblem } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { addToRowCount, type TableRecord } from '../catalogue/custom-table-store.ts'
import { recordRowEvent } from '../triggers/row-events.ts'
import { changedValues, checkValues } from './row-values.ts'
import { deleteRow, findRow, insertRow, replaceValues, type StoredRow } from './table-row-store.ts'

/*
 * Every change of a row, whoever makes it: a request, a command, a run. The transaction has locked the table, and the caller
 * has checked who may change it.
 */

/** Values that the fields of the table do not accept. Each caller reports it in its own form. */
export class ValuesRefused extends Error {
  readonly problems: ValidationProblem[]

  constructor(problems: ValidationProblem[]) {
    super('the values of a row were refused')
    this.name = 'ValuesRefused'
    this.problems = problems
  }
}

/**
 * `byRun` is the run that adds the row. Throws `ValuesRefused`, `custom_table_limit_reached`, `storage_quota_exceeded`,
 * `custom_table_trigger_backlog`.
 */
export async function addRow(
  trx: Trx,
  table: TableRecord,
  { values, chatroomId, byRun }: { values: RowValues; chatroomId: string | null; byRun?: string | undefined },
): Promise<StoredRow> {
  const checked = accepted(table, values)
  if (table.row_count >= rowsOfTableMax)
    throw new CodedError('custom_table_limit_reached', { limit: rowsOfTableMax })
  await requireStorageQuota(trx, table.company_id, checked.byteSize)
  await addToRowCount(trx, table, 1)
  const row = await insertRow(trx, {
    id: newId('tableRow'),
    company_id: table.company_id,
    table_id: table.id,
    chatroom_id: chatroomId,
    values: JSON.stringify(checked.values),
    byte_size: checked.byteSize,
  })
  await recordRowEvent(trx, table, { event: 'create', row, byRun })
  return row
}

/** The row after the change, which is the row itself if nothing changes. Throws as `addRow` does. */
export async function changeRow(
  trx: Trx,
  table: TableRecord,
  { row, values, byRun }: { row: StoredRow; values: RowValues; byRun?: string | undefined },
): Promise<StoredRow> {
  const checked = accepted(table, changedValues(row.values, values))
  if (canonicalJson(checked.values) === canonicalJson(row.values)) return row
  const more = checked.byteSize - row.byte_size
  // Each change leaves an entry in the audit log.
  if (more >= 0) await requireStorageQuota(trx, table.company_id, more)
  const set = { values: JSON.stringify(checked.values), byte_size: checked.byteSize }
  const changed = await replaceValues(trx, row, set)
  await recordRowEvent(trx, table, { event: 'update', row: changed, byRun })
  return changed
}

/** Changes the row with that id; undefined if the table has none. Throws as `addRow` does. */
export async function changeRowById(
  trx: Trx,
  table: TableRecord,
  { id, ...change }: { id: string; values: RowValues; byRun?: string | undefined },
): Promise<StoredRow | undefined> {
  const row = await findRow(trx, { companyId: table.company_id, tableId: table.id, id })
  return row && changeRow(trx, table, { row, ...change })
}

/** Returns false if there is no such row. */
export async function removeRow(trx: Trx, table: TableRecord, id: string): Promise<boolean> {
  const isDeleted = await deleteRow(trx, { companyId: table.company_id, tableId: table.id, id })
  if (isDeleted) await addToRowCount(trx, table, -1)
  return isDeleted
}

function accepted(table: TableRecord, values: RowValues) {
  const checked = checkValues(table.fields, values)
  if (checked.kind === 'refused') throw new ValuesRefused(checked.problems)
  return checked
}
