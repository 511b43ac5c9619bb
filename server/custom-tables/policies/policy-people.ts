import { may, ownedBy } from '../../access/allow.ts'
import type { Directory, Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { TableRecord } from '../catalogue/custom-table-store.ts'
import { isGrantedTo } from '../commands/command-definition.ts'
import type { CommandRow } from '../commands/table-command-store.ts'

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
