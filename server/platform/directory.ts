import { notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import type { Standing } from './caller-statement.ts'
import {
  type AskedStanding,
  findAskedStandings,
  findDepartment,
  findNames,
  findRoomIdsIn,
  findRoomIdsOf,
  type RoomStanding,
} from './directory-store.ts'
import { isRestricted, managesDepartment, type Principal } from './principal.ts'

/** A live chatroom. `authority_generation` rises when it moves to another department or is deleted. */
export interface Room {
  id: string
  company_id: string
  department_id: string
  name: string
  authority_generation: number
}

/**
 * What the rest of the service asks the platform: which rooms and departments there are, and who is what in them.
 * An existing platform takes this one's place by answering these questions.
 *
 * Nothing is ever said about another company: its rooms are absent. A sandbox-scope key acts only in the rooms it
 * names, as its owner may, and manages none (contract part 1, "Restricted API keys" and "Roles"; part 3, D1).
 */
export class Directory {
  readonly #db: Executing
  readonly #standings: Gathered<AskedStanding, RoomStanding>

  constructor(db: Executing) {
    this.#db = db
    this.#standings = new Gathered((asked) => findAskedStandings(db, asked))
  }

  /** A live room of that company. */
  async room(companyId: string, roomId: string): Promise<Room | undefined> {
    const found = await this.#standings.find({ companyId, roomId, userId: null })
    return found && roomOf(found)
  }

  /** Company managers, managers of the room's department, and members flagged as its manager. */
  async managesRoom(principal: Principal, room: Room): Promise<boolean> {
    const standing = await this.#standing(principal, room.id)
    return standing !== undefined && manages(principal, standing)
  }

  /** The room, when the caller is a member of it or manages it; throws `not_found`. */
  async requireRoomMember(principal: Principal, roomId: string): Promise<Room> {
    const standing = await this.#standing(principal, roomId)
    if (!standing || !belongsTo(principal, roomId, standing)) throw notFound()
    return roomOf(standing)
  }

  /** The room, when the caller manages it; throws `not_found`. */
  async requireRoomManager(principal: Principal, roomId: string): Promise<Room> {
    const standing = await this.#standing(principal, roomId)
    if (!standing || !manages(principal, standing)) throw notFound()
    return roomOf(standing)
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

  /** Ids of the live rooms a user is listed in. */
  roomIdsOfMember(companyId: string, userId: string): Promise<string[]> {
    return findRoomIdsOf(this.#db, { companyId, userId })
  }

  /** Ids of the live rooms the caller manages below company level; company managers manage all and need no list. */
  async managedRoomIds(principal: Principal): Promise<string[]> {
    if (isRestricted(principal)) return []
    const { companyId, principalId: userId, managedDepartmentIds: departmentIds } = principal
    const flagged = await findRoomIdsOf(this.#db, { companyId, userId, flagged: true })
    const inDepartments = await findRoomIdsIn(this.#db, { companyId, departmentIds })
    return [...new Set([...flagged, ...inDepartments])]
  }

  #standing(principal: Principal, roomId: string): Promise<RoomStanding | undefined> {
    const userId = principal.principalType === 'user' ? principal.principalId : null
    return this.#standings.find({ companyId: principal.companyId, roomId, userId })
  }
}

/** Whether the caller is a member of the room or manages it, by what they were found to be there. */
export const belongsTo = (principal: Principal, roomId: string, standing: Standing): boolean =>
  actsIn(principal, roomId) && (standing.room_manager !== null || personManages(principal, standing))

/** Whether the person manages the room, whatever the key they act through may do. */
const personManages = (principal: Principal, room: Standing): boolean =>
  managesDepartment(principal, room.department_id) || room.room_manager === true

const manages = (principal: Principal, room: RoomStanding): boolean =>
  !isRestricted(principal) && personManages(principal, room)

/** A sandbox-scope key acts in the rooms it names; everyone else is not narrowed. */
const actsIn = (principal: Principal, roomId: string): boolean =>
  !isRestricted(principal) || principal.apiKey?.allowedChatroomIds.includes(roomId) === true

const roomOf = ({ id, company_id, department_id, name, authority_generation }: RoomStanding): Room => ({
  id,
  company_id,
  department_id,
  name,
  authority_generation,
})
