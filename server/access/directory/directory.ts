import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import { absenceOf, authorize, may, ownCompany, roomSubject } from '../allow.ts'
import type { Principal } from '../principal.ts'
import {
  findDepartment,
  findMemberships,
  findNames,
  findRoomIdsIn,
  findRoomIdsOf,
  type MembershipLookup,
  type RoomWithMembership,
} from './directory-store.ts'

/** A live chatroom. `authority_generation` rises when it moves to another department or is deleted. */
export interface Room {
  id: string
  company_id: string
  department_id: string
  name: string
  authority_generation: number
  /** The jobs that its agent loads; null: unset. */
  jobs: string[] | null
}

/**
 * The service's interface to the platform's directory: which rooms and departments there are, and who has which role
 * in them. An existing platform replaces this class by implementing its methods.
 *
 * Nothing of another company is ever returned: its rooms are absent. A sandbox-scope key acts only in the rooms it
 * names, as its owner may, and manages none (contract part 1, "Restricted API keys" and "Roles"; part 3, D1).
 */
export class Directory {
  readonly #db: Executing
  readonly #memberships: Batcher<MembershipLookup, RoomWithMembership>

  constructor(db: Executing) {
    this.#db = db
    this.#memberships = new Batcher((requested) => findMemberships(db, requested))
  }

  /** The same as it is in a transaction. */
  within(trx: Trx): Directory {
    return new Directory(trx)
  }

  /** A live room of that company. */
  async room(companyId: string, roomId: string): Promise<Room | undefined> {
    const found = await this.#memberships.add({ companyId, roomId, userId: null })
    return found && roomOf(found)
  }

  /** The room, if the principal may perform the action in it; throws the refusal of the action otherwise. */
  async requireRoom(
    principal: Principal,
    action: ActionOn<'room' | 'consumer'>,
    roomId: string,
  ): Promise<Room> {
    const membership = await this.#membership(principal, roomId)
    if (!membership) throw absenceOf(action)
    authorize(principal, action, roomSubject(roomId, membership))
    return roomOf(membership)
  }

  department(companyId: string, id: string): Promise<{ id: string; name: string } | undefined> {
    return findDepartment(this.#db, companyId, id)
  }

  /** Names by id, of rooms (deleted ones too), departments or users; unknown ids are absent. */
  names(
    kind: 'chatrooms' | 'departments' | 'users',
    companyId: string,
    ids: readonly string[],
  ): Promise<Map<string, string>> {
    return findNames(this.#db, kind, { companyId, ids })
  }

  /**
   * Ids of the live rooms that the caller is a member of or manages; `managedRoomIds` returns which of them are
   * managed.
   */
  async roomIdsOf(principal: Principal): Promise<string[]> {
    const { companyId, principalId: userId } = principal
    if (!may(principal, 'room.list', ownCompany)) return []
    const [joined, managed] = await Promise.all([
      findRoomIdsOf(this.#db, { companyId, userId }),
      this.managedRoomIds(principal),
    ])
    return [...new Set([...joined, ...managed])]
  }

  /** Ids of the live rooms the caller manages below company level; company managers manage all and need no list. */
  async managedRoomIds(principal: Principal): Promise<string[]> {
    if (!may(principal, 'room.list', ownCompany)) return []
    const { companyId, principalId: userId, managedDepartmentIds: departmentIds } = principal
    const flagged = await findRoomIdsOf(this.#db, { companyId, userId, flagged: true })
    const inDepartments = await findRoomIdsIn(this.#db, { companyId, departmentIds })
    return [...new Set([...flagged, ...inDepartments])]
  }

  async #membership(principal: Principal, roomId: string): Promise<RoomWithMembership | undefined> {
    const { companyId } = principal
    const found = await this.#memberships.add({ companyId, roomId, userId: userIdOf(principal) })
    return found && standingOf(principal, roomId, found)
  }
}

/** Null for who is no user. */
export const userIdOf = ({ principalType, principalId }: Principal): string | null =>
  principalType === 'user' ? principalId : null

/** The standing that was found of a principal in a room: an external person is a plain member of the one room that they are in. */
export const standingOf = <Found extends { room_manager: boolean | null }>(
  { clientRoomId }: Principal,
  roomId: string,
  found: Found,
): Found => (clientRoomId === roomId ? { ...found, room_manager: false } : found)

const roomOf = ({
  id,
  company_id,
  department_id,
  name,
  authority_generation,
  jobs,
}: RoomWithMembership): Room => ({
  id,
  company_id,
  department_id,
  name,
  authority_generation,
  jobs,
})
