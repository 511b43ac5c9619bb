import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { commandsOfTableMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  TableCommand,
  TableCommandCreateRequest,
  TableCommandList,
  TableCommandUpdateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import { definitionBytes, requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { type ListQuery, pageOf } from '../catalogue/list-page.ts'
import { inTableTransaction, lockActiveTable, requireTable } from '../catalogue/table-access.ts'
import type { TableContext } from '../table-context.ts'
import {
  changedDefinition,
  checkDefinition,
  contentOf,
  newDefinition,
  renderCommand,
} from './command-definition.ts'
import {
  archiveCommandRow,
  type CommandRow,
  changeCommand,
  countActiveCommands,
  findCommand,
  insertCommand,
  listCommandRows,
  lockCommand,
} from './table-command-store.ts'

/* Commands: define, find, change and archive, for who manages their table. */

export async function createCommand(
  context: TableContext,
  principal: Principal,
  { tableId, request }: { tableId: string; request: TableCommandCreateRequest },
): Promise<TableCommand> {
  const { companyId } = principal
  await requireTable(context.db, principal, 'table.change', tableId)
  await requireGrantee(context, companyId, request)
  const definition = newDefinition(request)
  return inTableTransaction(context.db, tableId, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', tableId)
    checkDefinition(table, definition)
    const count = await countActiveCommands(trx, { companyId, id: tableId }, commandsOfTableMax)
    if (count >= commandsOfTableMax)
      throw new CodedError('custom_table_limit_reached', { limit: commandsOfTableMax })
    await requireStorageQuota(trx, companyId, definitionBytes.table)
    const row = await insertCommand(trx, {
      id: newId('tableCommand'),
      company_id: companyId,
      table_id: tableId,
      created_by: principal.principalId,
      ...contentOf(definition),
    })
    return renderCommand(row)
  })
}

/** Whom the command is granted to must exist in the company. */
async function requireGrantee(
  { directory }: TableContext,
  companyId: string,
  { granted_scope, granted_id }: Pick<CommandRow, 'granted_scope' | 'granted_id'>,
): Promise<void> {
  const found = {
    company: () => Promise.resolve(granted_id === companyId),
    department: () => directory.department(companyId, granted_id),
    chatroom: () => directory.room(companyId, granted_id),
  }
  if (!(await found[granted_scope]()))
    throw invalid(['body', 'granted_id'], 'not_found', `must name a ${granted_scope} of the company`)
}

export async function listTableCommands(
  { db, pages }: TableContext,
  principal: Principal,
  { tableId, query }: { tableId: string; query: ListQuery },
): Promise<TableCommandList> {
  const { companyId } = principal
  await requireTable(db, principal, 'table.read', tableId)
  return pageOf(pages, `table-commands:${tableId}`, query, {
    rows: (filter) => listCommandRows(db, { companyId, of: { tableId }, ...filter }),
    item: renderCommand,
  })
}

export async function listRoomCommands(
  { db, directory, pages }: TableContext,
  principal: Principal,
  { roomId, query }: { roomId: string; query: ListQuery },
): Promise<TableCommandList> {
  const { companyId } = principal
  const room = await directory.requireRoom(principal, 'table.execute_command', roomId)
  return pageOf(pages, `room-commands:${roomId}`, query, {
    rows: (filter) => listCommandRows(db, { companyId, of: { room }, ...filter }),
    item: renderCommand,
  })
}

export async function readCommand(
  context: TableContext,
  principal: Principal,
  id: string,
): Promise<TableCommand> {
  return renderCommand(await requireCommand(context, principal, 'table.read', id))
}

export async function updateCommand(
  context: TableContext,
  principal: Principal,
  { id, request }: { id: string; request: TableCommandUpdateRequest },
): Promise<TableCommand> {
  const found = await requireCommand(context, principal, 'table.change', id)
  if (Object.values(request).every((value) => value === undefined)) throw new CodedError('no_fields')
  await requireGrantee(context, principal.companyId, changedDefinition(found, request))
  return changing(context, principal, found, async (trx, { command, table }) => {
    const definition = changedDefinition(command, request)
    checkDefinition(table, definition)
    return changeCommand(trx, command, contentOf(definition))
  })
}

export async function archiveCommand(
  context: TableContext,
  principal: Principal,
  id: string,
): Promise<TableCommand> {
  const found = await requireCommand(context, principal, 'table.change', id)
  return changing(context, principal, found, async (trx, { command }) => {
    await archiveCommandRow(trx, command, context.clock.now())
    return (await findCommand(trx, command.company_id, command.id)) ?? command
  })
}

async function requireCommand(
  { db }: TableContext,
  principal: Principal,
  action: ActionOn<'owned'>,
  id: string,
): Promise<CommandRow> {
  const command = await findCommand(db, principal.companyId, id)
  if (!command) throw notFound()
  await requireTable(db, principal, action, command.table_id)
  return command
}

type Locked = { command: CommandRow; table: Awaited<ReturnType<typeof lockActiveTable>> }

function changing(
  { db }: TableContext,
  principal: Principal,
  { id, table_id }: CommandRow,
  change: (trx: Trx, locked: Locked) => Promise<CommandRow>,
): Promise<TableCommand> {
  return inTableTransaction(db, table_id, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', table_id)
    const command = await lockCommand(trx, principal.companyId, id)
    if (!command) throw notFound()
    if (command.state !== 'active') throw new CodedError('custom_table_archived')
    return renderCommand(await change(trx, { command, table }))
  })
}
