import type { CommandExecution } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { may, ownedBy } from '../../access/allow.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import { findTable, lockTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import { serializeByTable } from '../catalogue/table-access.ts'
import type { RowCondition } from '../rows/row-filter.ts'
import { renderRow, reportingValues } from '../rows/row-service.ts'
import type { StoredRow } from '../rows/table-row-store.ts'
import type { TableContext } from '../table-context.ts'
import { applyCommand, checkedInputs } from './apply-command.ts'
import { isGrantedTo } from './command-definition.ts'
import { type CommandRow, findCommand } from './table-command-store.ts'

export interface ExecuteCall {
  principal: Principal
  roomId: string
  commandId: string
  idempotencyKey: string
  inputs: RowValues
}

/** Executes a command for a person of a room that may use it. Another company's, or one not granted, does not exist. */
export async function executeCommand(context: TableContext, call: ExecuteCall): Promise<CommandExecution> {
  const { principal, roomId, commandId, inputs } = call
  const room = await context.directory.requireRoom(principal, 'table.execute_command', roomId)
  const found = await findCommand(context.db, principal.companyId, commandId)
  if (!found || !isGrantedTo(found, room)) throw notFound()
  if (found.mode === 'read') return readByCommand(context, { principal, command: found, inputs, room })
  const intent = {
    principal,
    route: 'POST /chatrooms/{cid}/commands/{id}/execute',
    key: call.idempotencyKey,
    request: { room_id: roomId, command_id: commandId, inputs },
  }
  const execute = async (trx: Trx) => {
    const table = await lockTable(trx, principal.companyId, found.table_id)
    const command = await findCommand(trx, principal.companyId, commandId)
    if (!table || !command || !isGrantedTo(command, room)) throw notFound()
    requireUsable(principal, table, command)
    const row = await reportingValues(() => applyCommand(trx, { table, command, inputs, roomId }))
    return executionOf(command, row, context.clock.now())
  }
  return serializeByTable(found.table_id, () => context.once(intent, execute))
}

function requireUsable(principal: Principal, table: TableRecord, command: CommandRow): void {
  if (command.state !== 'active' || table.state !== 'active') throw new CodedError('custom_table_archived')
  const mayWrite = may(principal, 'table.write_rows', ownedBy(table))
  if (command.authority === 'caller' && !mayWrite) throw new CodedError('custom_table_command_denied')
}

/** The first row with these values, in the room for a table with a channel rule. */
async function readByCommand(
  { db, clock, queries }: TableContext,
  call: { principal: Principal; command: CommandRow; inputs: RowValues; room: Room },
): Promise<CommandExecution> {
  const { principal, command, inputs, room } = call
  const table = await findTable(db, principal.companyId, command.table_id)
  if (!table) throw notFound()
  requireUsable(principal, table, command)
  const values = await reportingValues(async () => checkedInputs(command, inputs))
  const conditions: RowCondition[] = command.inputs
    .filter(({ name, type }) => values[name] !== undefined && type !== 'json')
    .map(({ name, type }) => ({
      operand: { kind: 'field', name, type },
      op: 'eq',
      value: String(values[name]),
    }))
  if (table.channel_rule)
    conditions.push({
      operand: { kind: 'column', name: 'chatroom_id', type: 'text' },
      op: 'eq',
      value: room.id,
    })
  const release = queries.take(table.company_id)
  try {
    const [row] = await queries.read({
      companyId: table.company_id,
      tableId: table.id,
      conditions,
      limit: 1,
    })
    return executionOf(command, row, clock.now())
  } finally {
    release()
  }
}

export const executionOf = (
  { id, mode }: Pick<CommandRow, 'id' | 'mode'>,
  row: StoredRow | undefined,
  at: Date,
): CommandExecution => ({
  command_id: id,
  ...(row && { row_id: row.id }),
  status: 'applied',
  applied_at: at.toISOString(),
  ...(mode === 'read' && row && { row: renderRow(row) }),
})
