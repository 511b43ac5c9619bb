import type { CommandPolicy, WritebackPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import { may, ownedBy } from '../../access/allow.ts'
import type { Directory, Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { findTable, lockTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import { isGrantedTo } from '../commands/command-definition.ts'
import { type CommandRow, findCommand } from '../commands/table-command-store.ts'
import { hasInputs } from './stored-policy.ts'

/** Why runs may not write to a table. Each moment of a policy's life has a code of its own for it. */
export type TableProblem = 'gone' | 'channel' | 'governed'

export async function writableTable(
  db: Executing,
  companyId: string,
  { table_id }: WritebackPolicy,
): Promise<TableRecord | TableProblem> {
  const table = await findTable(db, companyId, table_id)
  return table === undefined ? 'gone' : (tableProblem(table) ?? table)
}

function tableProblem(table: TableRecord): TableProblem | undefined {
  if (table.state !== 'active') return 'gone'
  if (table.channel_rule) return 'channel'
  return table.commands_only ? 'governed' : undefined
}

export interface CommandTarget {
  command: CommandRow
  table: TableRecord
}

/** The live command of a policy, with its live table. */
export async function commandTarget(
  db: Executing,
  companyId: string,
  { command_id }: CommandPolicy,
): Promise<CommandTarget | undefined> {
  const command = await findCommand(db, companyId, command_id)
  if (command?.state !== 'active') return undefined
  const table = await findTable(db, companyId, command.table_id)
  return table?.state === 'active' ? { command, table } : undefined
}

/** The table of a policy, locked for a write; undefined if runs may not write to it. */
export async function lockWritableTable(
  trx: Trx,
  companyId: string,
  { table_id }: WritebackPolicy,
): Promise<TableRecord | undefined> {
  const table = await lockTable(trx, companyId, table_id)
  return table && tableProblem(table) === undefined ? table : undefined
}

/** The target again, with its table locked for a write; undefined if it is not live any more. */
export async function lockCommandTarget(
  trx: Trx,
  { table: { company_id, id }, command: { id: commandId } }: CommandTarget,
): Promise<CommandTarget | undefined> {
  const table = await lockTable(trx, company_id, id)
  const command = await findCommand(trx, company_id, commandId)
  return table?.state === 'active' && command?.state === 'active' ? { table, command } : undefined
}

/** Whether the policy has the inputs of the command, which writes. */
export const matchesCommand = (policy: CommandPolicy, { mode, inputs }: CommandRow): boolean =>
  mode === 'write' && hasInputs(policy, inputs)

/** A run acts by a command with the authority of its definition alone, under an identity that makes it repeatable. */
export const isRestricted = ({ authority, effect_identity }: CommandRow): boolean =>
  authority === 'definition' && effect_identity !== null

/** The people whose authority an output policy uses: who wrote the version, and who published it. */
export interface PolicyAuthors {
  author: string
  publisher: string
}

/** A user of the company as they are now; undefined for one that is gone or disabled. */
export type FindUser = (companyId: string, userId: string) => Promise<Principal | undefined>

/** Unrestricted write on a table. */
export const mayWriteTable = (person: Principal | undefined, table: TableRecord): boolean =>
  person !== undefined && person.principalType === 'user' && may(person, 'table.write_rows', ownedBy(table))

/**
 * Whether a person may call the command in the room of a policy: a user of the company who is in that room, to which the
 * command is granted.
 */
export async function mayCallCommand(
  directory: Directory,
  person: Principal | undefined,
  { command, roomId }: { command: CommandRow; roomId: string },
): Promise<boolean> {
  if (person?.principalType !== 'user') return false
  const room = await roomOf(directory, person, roomId)
  return room !== undefined && isGrantedTo(command, room)
}

async function roomOf(directory: Directory, person: Principal, roomId: string): Promise<Room | undefined> {
  try {
    return await directory.requireRoom(person, 'table.execute_command', roomId)
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}
