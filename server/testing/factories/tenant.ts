import { newId } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type { Principal } from '../../platform/principal.ts'

/** A company with one department, one room, and one person of each standing. */
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
  const companyId = newId('company')
  await db.insertInto('companies').values({ id: companyId, name: companyId }).execute()
  const departmentId = await makeDepartment(db, companyId)
  const roomId = await makeRoom(db, { companyId, departmentId })
  const person = (role: number, managedDepartmentIds: string[] = []) =>
    makeUser(db, { companyId, role, managedDepartmentIds })
  const member = await person(1)
  const roomManager = await person(1)
  await addMember(db, { companyId, roomId, userId: member.principalId })
  await addMember(db, { companyId, roomId, userId: roomManager.principalId, roomManager: true })
  return {
    companyId,
    departmentId,
    roomId,
    companyManager: await person(3),
    departmentManager: await person(2, [departmentId]),
    member,
    roomManager,
    stranger: await person(1),
  }
}

export async function makeDepartment(db: Database, companyId: string): Promise<string> {
  const id = newId('department')
  await db.insertInto('departments').values({ id, company_id: companyId, name: id }).execute()
  return id
}

export async function makeRoom(
  db: Database,
  { companyId, departmentId }: { companyId: string; departmentId: string },
): Promise<string> {
  const id = newId('chatroom')
  const room = { id, company_id: companyId, department_id: departmentId, name: id }
  await db.insertInto('chatrooms').values(room).execute()
  return id
}

export async function makeUser(
  db: Database,
  user: { companyId: string; role: number; managedDepartmentIds?: string[] },
): Promise<Principal> {
  const id = newId('user')
  const departments = user.managedDepartmentIds ?? []
  await db
    .insertInto('users')
    .values({
      id,
      company_id: user.companyId,
      login: id,
      display_name: id,
      password_hash: 'no password',
      role: user.role,
    })
    .execute()
  for (const department_id of departments) {
    const row = { department_id, user_id: id, company_id: user.companyId }
    await db.insertInto('department_managers').values(row).execute()
  }
  return {
    companyId: user.companyId,
    principalType: 'user',
    principalId: id,
    authMethod: 'jwt',
    role: user.role,
    managedDepartmentIds: departments,
  }
}

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
