import { tableCommandMachine } from '@sandbox-jobs/contract/states/custom-table-states.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Room } from '../../access/directory/directory.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { CustomTableCommandsTable } from '../../db/tables/custom-tables.ts'
import { recordCreated, transition } from '../../db/transition.ts'

export type CommandRow = Selectable<CustomTableCommandsTable>

/** Writes the table `custom_table_commands`. */
export async function insertCommand(
  trx: Trx,
  command: Insertable<CustomTableCommandsTable>,
): Promise<CommandRow> {
  const row = await trx
    .insertInto('custom_table_commands')
    .values(command)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordCreated(trx, {
    machine: tableCommandMachine,
    id: row.id,
    companyId: row.company_id,
    state: row.state,
  })
  return row
}

const commandOf = (db: Executing, companyId: string, id: string) =>
  db.selectFrom('custom_table_commands').selectAll().where('company_id', '=', companyId).where('id', '=', id)

export const findCommand = (db: Executing, companyId: string, id: string): Promise<CommandRow | undefined> =>
  commandOf(db, companyId, id).executeTakeFirst()

/** For a transaction that has locked the command's table. */
export const lockCommand = (trx: Trx, companyId: string, id: string): Promise<CommandRow | undefined> =>
  commandOf(trx, companyId, id).forNoKeyUpdate().executeTakeFirst()

export async function countActiveCommands(
  trx: Trx,
  table: { companyId: string; id: string },
  atMost: number,
): Promise<number> {
  const rows = await trx
    .selectFrom('custom_table_commands')
    .select('id')
    .where('company_id', '=', table.companyId)
    .where('table_id', '=', table.id)
    .where('state', '=', 'active')
    .limit(atMost)
    .execute()
  return rows.length
}

export type CommandContent = Pick<
  Insertable<CustomTableCommandsTable>,
  | 'name'
  | 'description'
  | 'inputs'
  | 'mode'
  | 'authority'
  | 'effect_identity'
  | 'granted_scope'
  | 'granted_id'
>

/** Changes a locked command; its revision rises. */
export const changeCommand = (trx: Trx, command: CommandRow, set: CommandContent): Promise<CommandRow> =>
  trx
    .updateTable('custom_table_commands')
    .set({ ...set, revision: command.revision + 1 })
    .where('company_id', '=', command.company_id)
    .where('id', '=', command.id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const archiveCommandRow = (trx: Trx, command: CommandRow, archivedAt: Date) =>
  transition(trx, {
    table: 'custom_table_commands',
    machine: tableCommandMachine,
    id: command.id,
    companyId: command.company_id,
    to: 'archived',
    set: { archived_at: archivedAt },
  })

export interface CommandListFilter {
  companyId: string
  /** Commands of one table, or those that a chatroom may use. */
  of: { tableId: string } | { room: Room }
  states: readonly CommandRow['state'][] | undefined
  afterId: string | undefined
  limit: number
}

/** In the order of their ids. */
export function listCommandRows(db: Executing, filter: CommandListFilter): Promise<CommandRow[]> {
  const { of } = filter
  let query = db.selectFrom('custom_table_commands').selectAll().where('company_id', '=', filter.companyId)
  query = 'tableId' in of ? query.where('table_id', '=', of.tableId) : query.where(grantedTo(of.room))
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.afterId !== undefined) query = query.where('id', '>', filter.afterId)
  return query.orderBy('id').limit(filter.limit).execute()
}

/** Condition on a command: the room may use it. */
const grantedTo = (room: Room) => sql<boolean>`(granted_scope, granted_id) in (
  ('chatroom', ${room.id}), ('department', ${room.department_id}), ('company', ${room.company_id}))`

interface Identity {
  companyId: string
  commandId: string
  /** Digest of the values that name the row. */
  identity: string
}

/**
 * Writes the table `custom_table_identities`. The row that a command created under an identity; undefined if there is none.
 * The transaction has locked the table of the command, so no other one creates it meanwhile.
 */
export async function rowIdOfIdentity(
  trx: Trx,
  { companyId, commandId, identity }: Identity,
): Promise<string | undefined> {
  const found = await trx
    .selectFrom('custom_table_identities')
    .select('row_id')
    .where('company_id', '=', companyId)
    .where('command_id', '=', commandId)
    .where('identity', '=', identity)
    .executeTakeFirst()
  return found?.row_id
}

export const insertIdentity = (
  trx: Trx,
  { companyId, commandId, identity, rowId }: Identity & { rowId: string },
): Promise<unknown> =>
  trx
    .insertInto('custom_table_identities')
    .values({ company_id: companyId, command_id: commandId, identity, row_id: rowId })
    .execute()
