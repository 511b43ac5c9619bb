import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Trx } from '../../db/database.ts'
import type { TableRecord } from '../catalogue/custom-table-store.ts'
import { checkValues } from '../rows/row-values.ts'
import { findRow, type StoredRow } from '../rows/table-row-store.ts'
import { addRow, changeRow, ValuesRefused } from '../rows/write-row.ts'
import { type CommandRow, insertIdentity, rowIdOfIdentity } from './table-command-store.ts'

/** A call of a command whose table the transaction has locked. */
export interface CommandCall {
  table: TableRecord
  command: CommandRow
  inputs: RowValues
  /** The room that a new row of a table with a channel rule belongs to. */
  roomId: string
  /** The run that calls; undefined for a person. */
  byRun?: string | undefined
}

/**
 * Creates or changes the row of a `write` command. With an effect identity, one row has each identity: calling again with
 * it changes that row. Throws as `addRow` does.
 */
export async function applyCommand(trx: Trx, call: CommandCall): Promise<StoredRow> {
  const { table, command, byRun } = call
  const values = checkedInputs(command, call.inputs)
  const chatroomId = table.channel_rule ? call.roomId : null
  const identity = identityOf(command, { values, chatroomId })
  if (identity === undefined) return addRow(trx, table, { values, chatroomId, byRun })
  const key = { companyId: table.company_id, commandId: command.id, identity }
  const rowId = await rowIdOfIdentity(trx, key)
  const row =
    rowId === undefined
      ? undefined
      : await findRow(trx, { companyId: table.company_id, tableId: table.id, id: rowId })
  if (row) return changeRow(trx, table, { row, values, byRun })
  const added = await addRow(trx, table, { values, chatroomId, byRun })
  await insertIdentity(trx, { ...key, rowId: added.id })
  return added
}

/** The inputs as they are stored. Throws `ValuesRefused`. */
export function checkedInputs({ inputs }: Pick<CommandRow, 'inputs'>, given: RowValues): RowValues {
  const checked = checkValues(inputs, given, ['body', 'inputs'])
  if (checked.kind === 'refused') throw new ValuesRefused(checked.problems)
  return checked.values
}

/** A row of a room has its identity within the room. */
function identityOf(
  { effect_identity: names }: CommandRow,
  { values, chatroomId }: { values: RowValues; chatroomId: string | null },
): string | undefined {
  if (names === null) return undefined
  const named = names.toSorted().map((name) => [name, values[name]])
  return sha256Of(Buffer.from(canonicalJson({ chatroomId, named }))).slice('sha256:'.length)
}
