import { insertApiKey } from '../../server/access/keys/api-key-store.ts'
import type { Principal } from '../../server/access/principal.ts'
import { newId, newToken } from '../../server/base/ids.ts'
import type { Executing } from '../../server/db/database.ts'

/** A company with one department and one room. */
export interface Tenant {
  companyId: string
  departmentId: string
  roomId: string
}

export async function makeTenant(db: Executing): Promise<Tenant> {
  const companyId = newId('company')
  await db.insertInto('companies').values({ id: companyId, name: companyId }).execute()
  const departmentId = await makeDepartment(db, companyId)
  return { companyId, departmentId, roomId: await makeRoom(db, { companyId, departmentId }) }
}

export async function makeDepartment(db: Executing, companyId: string): Promise<string> {
  const id = newId('department')
  await db.insertInto('departments').values({ id, company_id: companyId, name: id }).execute()
  return id
}

export async function makeRoom(
  db: Executing,
  { companyId, departmentId }: { companyId: string; departmentId: string },
): Promise<string> {
  const id = newId('chatroom')
  const room = { id, company_id: companyId, department_id: departmentId, name: id }
  await db.insertInto('chatrooms').values(room).execute()
  return id
}

export interface UserTraits {
  role?: number
  /** Departments that the user is assigned to; only role 2 manages them. */
  manages?: string[]
  memberOf?: string[]
  managerOf?: string[]
  login?: string
  passwordHash?: string
}

/** Makes a user who cannot log in unless a hash is given, and returns their principal. */
export async function makeUser(
  db: Executing,
  companyId: string,
  traits: UserTraits = {},
): Promise<Principal> {
  const id = newId('user')
  const role = traits.role ?? 1
  const login = traits.login ?? id
  const user = { id, company_id: companyId, login, display_name: login, role }
  await db
    .insertInto('users')
    .values({ ...user, password_hash: traits.passwordHash ?? 'none' })
    .execute()
  for (const department_id of traits.manages ?? []) {
    await db
      .insertInto('department_managers')
      .values({ department_id, user_id: id, company_id: companyId })
      .execute()
  }
  const rooms = [
    ...(traits.memberOf ?? []).map((chatroom_id) => ({ chatroom_id, room_manager: false })),
    ...(traits.managerOf ?? []).map((chatroom_id) => ({ chatroom_id, room_manager: true })),
  ]
  for (const room of rooms) {
    await db
      .insertInto('chatroom_members')
      .values({ ...room, user_id: id, company_id: companyId })
      .execute()
  }
  return {
    companyId,
    principalType: 'user',
    principalId: id,
    authMethod: 'jwt',
    role,
    managedDepartmentIds: role === 2 ? (traits.manages ?? []) : [],
  }
}

/** The same person acting through a stored API key of sandbox scope. */
export async function makeSandboxKey(
  db: Executing,
  principal: Principal,
  allowedChatroomIds: string[],
): Promise<Principal> {
  const { id } = await insertApiKey(db, {
    companyId: principal.companyId,
    ownerUserId: principal.principalId,
    name: newId('apiKey'),
    keyHash: Buffer.from(newToken(), 'base64url'),
    pepper: 0,
    scope: 'sandbox',
    allowedChatroomIds,
    domains: ['*'],
    expiresAt: null,
  })
  return { ...principal, authMethod: 'api_key', apiKey: { id, scope: 'sandbox', allowedChatroomIds } }
}

/** The same for routes that read nothing of the key. */
export const withSandboxKey = (principal: Principal, allowedChatroomIds: string[]): Principal => ({
  ...principal,
  authMethod: 'api_key',
  apiKey: { id: newId('apiKey'), scope: 'sandbox', allowedChatroomIds },
})
