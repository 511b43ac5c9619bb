import type { Principal } from '../../server/access/principal.ts'
import type { Database } from '../../server/db/database.ts'
import { makeTenant as makeCompany, makeUser as makePerson, type UserTraits } from './platform.ts'

export { makeDepartment, makeRoom } from './platform.ts'

/** A company with one department, one room, and one person for each role and membership. */
export interface Tenant {
  companyId: string
  departmentId: string
  roomId: string
  /** Role 3. */
  companyManager: Principal
  /** Role 2, of `departmentId`. */
  departmentManager: Principal
  /** Role 1, listed in `roomId`. */
  member: Principal
  /** Role 1, flagged as manager of `roomId`. */
  roomManager: Principal
  /** Role 1, in no room. */
  stranger: Principal
}

export async function makeTenant(db: Database): Promise<Tenant> {
  const { companyId, departmentId, roomId } = await makeCompany(db)
  const person = (role: number, traits: UserTraits = {}) => makePerson(db, companyId, { role, ...traits })
  return {
    companyId,
    departmentId,
    roomId,
    companyManager: await person(3),
    departmentManager: await person(2, { manages: [departmentId] }),
    member: await person(1, { memberOf: [roomId] }),
    roomManager: await person(1, { managerOf: [roomId] }),
    stranger: await person(1),
  }
}

export const makeUser = (
  db: Database,
  user: { companyId: string; role: number; managedDepartmentIds?: string[] },
): Promise<Principal> =>
  makePerson(db, user.companyId, { role: user.role, manages: user.managedDepartmentIds ?? [] })

export async function addMember(
  db: Database,
  member: { companyId: string; roomId: string; userId: string; roomManager?: boolean },
): Promise<void> {
  await db
    .insertInto('chatroom_members')
    .values({
      chatroom_id: member.roomId,
      user_id: member.userId,
      company_id: member.companyId,
      room_manager: member.roomManager ?? false,
    })
    .execute()
}
