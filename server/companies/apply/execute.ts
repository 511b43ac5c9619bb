import {
  insertSocialClient,
  removeSocialClientRow,
  renameSocialClientRow,
} from '../../access/directory/social-client-store.ts'
import { hashApiKey, newApiKey } from '../../access/keys/api-key-secret.ts'
import { insertApiKey, updateApiKeyRow } from '../../access/keys/api-key-store.ts'
import type { Clock } from '../../base/clock.ts'
import type { Peppers } from '../../base/keys/peppers.ts'
import type { Trx } from '../../db/database.ts'
import { insertChatroom } from '../chatrooms/chatroom-store.ts'
import { deleteMemberRow, putMemberRow } from '../chatrooms/member-store.ts'
import { insertCompany } from '../company-store.ts'
import { replaceManagedDepartments } from '../department-manager-store.ts'
import { insertDepartment } from '../department-store.ts'
import { insertUser, type UserChange, updateUserRow } from '../user-store.ts'
import type { DeclaredUser } from './company-file.ts'
import type { FirstPassword } from './first-passwords.ts'
import type { Change } from './plan.ts'
import { clientKey } from './plan-clients.ts'
import { type CompanySnapshot, emptyCompany, roomKey, type Snapshot } from './snapshot.ts'

/** Generated secrets. They are shown only once. */
export interface GeneratedSecrets {
  passwords: { company: string; login: string; password: string }[]
  apiKeys: { company: string; name: string; api_key: string }[]
}

export interface ExecuteServices {
  clock: Clock
  peppers: Peppers
}

interface PlannedChanges {
  changes: Change[]
  snapshot: Snapshot
  /** Of the users that the changes create, by login. */
  passwords: Map<string, FirstPassword>
}

/**
 * Executes the planned changes in order. Created entries are added to `snapshot`, because later steps look them up
 * there.
 */
export async function executeChanges(
  trx: Trx,
  services: ExecuteServices,
  { changes, snapshot, passwords }: PlannedChanges,
): Promise<GeneratedSecrets> {
  const secrets: GeneratedSecrets = { passwords: [], apiKeys: [] }
  for (const change of changes) {
    if (change.kind === 'create_company') {
      const { id } = await insertCompany(trx, change.company)
      snapshot.companies.set(change.company, { id, ...emptyCompany() })
    } else {
      const company = known(snapshot.companies, change.company)
      await executeChange({ trx, services, company, secrets, passwords }, change)
    }
  }
  return secrets
}

interface Scene {
  trx: Trx
  services: ExecuteServices
  company: CompanySnapshot
  secrets: GeneratedSecrets
  passwords: Map<string, FirstPassword>
}

async function executeChange(
  scene: Scene,
  change: Exclude<Change, { kind: 'create_company' }>,
): Promise<void> {
  const { trx, company } = scene
  const companyId = company.id
  switch (change.kind) {
    case 'create_department': {
      const { id } = await insertDepartment(trx, companyId, change.department)
      company.departments.set(change.department, { id })
      return
    }
    case 'create_room': {
      const departmentId = known(company.departments, change.department).id
      const { id } = await insertChatroom(trx, { companyId, departmentId, name: change.room })
      company.rooms.set(roomKey(change.department, change.room), {
        id,
        members: new Map(),
        clients: new Map(),
      })
      return
    }
    case 'create_user':
      return createUser(scene, change.company, change.user)
    case 'update_user':
      return updateUser(scene, change)
    case 'put_member':
      return putMemberRow(trx, memberKey(company, change), change.roomManager)
    case 'remove_member':
      return deleteMemberRow(trx, memberKey(company, change))
    case 'create_client':
    case 'rename_client':
    case 'remove_client':
      return writeClient(scene, change)
    case 'create_api_key':
    case 'update_api_key':
      return writeApiKey(scene, change)
  }
}

async function createUser(
  { trx, company, secrets, services, passwords }: Scene,
  name: string,
  user: DeclaredUser,
): Promise<void> {
  const companyId = company.id
  const { login, role, disabled } = user
  // Users are never deleted, so one that is new now was new when the passwords were made.
  const { password, passwordHash } = known(passwords, login)
  const displayName = user.displayName ?? login
  const disabledAt = disabled ? services.clock.now() : null
  const email = user.email ?? null
  const made = { companyId, login, displayName, role, passwordHash, disabledAt, email }
  const userId = await insertUser(trx, made)
  await replaceManagedDepartments(trx, { companyId, userId }, departmentIds(company, user.manages))
  company.users.set(login, { id: userId, displayName, email, role, disabled, manages: user.manages })
  if (user.password === undefined) secrets.passwords.push({ company: name, login, password })
}

async function updateUser(
  { trx, company, services }: Scene,
  { before, set }: Extract<Change, { kind: 'update_user' }>,
): Promise<void> {
  const key = { companyId: company.id, id: before.id }
  const change: UserChange = { displayName: set.displayName, email: set.email, role: set.role }
  if (set.disabled !== undefined) change.disabledAt = set.disabled ? services.clock.now() : null
  await updateUserRow(trx, key, change)
  if (set.manages === undefined) return
  const user = { companyId: company.id, userId: before.id }
  await replaceManagedDepartments(trx, user, departmentIds(company, set.manages))
}

async function writeClient(
  { trx, company, services }: Scene,
  change: Extract<Change, { kind: 'create_client' | 'rename_client' | 'remove_client' }>,
): Promise<void> {
  const room = known(company.rooms, change.room)
  const member = { companyId: company.id, chatroomId: room.id }
  if (change.kind === 'remove_client') {
    const { id } = known(room.clients, change.client)
    await removeSocialClientRow(trx, { ...member, id }, services.clock.now())
    return
  }
  const { channel, clientId, displayName = '' } = change.client
  if (change.kind === 'create_client') {
    await insertSocialClient(trx, { ...member, channel, clientId, displayName })
    return
  }
  const { id } = known(room.clients, clientKey(change.client))
  await renameSocialClientRow(trx, { companyId: company.id, id }, displayName)
}

async function writeApiKey(
  { trx, company, services, secrets }: Scene,
  change: Extract<Change, { kind: 'create_api_key' | 'update_api_key' }>,
): Promise<void> {
  const { name, owner, scope, domains, expiresAt, rooms } = change.key
  const companyId = company.id
  const allowedChatroomIds = rooms.map((room) => known(company.rooms, room).id)
  if (change.kind === 'update_api_key') {
    const key = { companyId, id: known(company.apiKeys, name).id }
    return updateApiKeyRow(trx, key, { allowedChatroomIds, domains, expiresAt })
  }
  const key = newApiKey()
  const pepper = services.peppers.present()
  const keyHash = hashApiKey(pepper.key, key)
  const ownerUserId = known(company.users, owner).id
  await insertApiKey(trx, {
    companyId,
    ownerUserId,
    name,
    keyHash,
    pepper: pepper.number,
    scope,
    allowedChatroomIds,
    domains,
    expiresAt,
  })
  secrets.apiKeys.push({ company: change.company, name, api_key: key })
}

const departmentIds = (company: CompanySnapshot, names: string[]): string[] =>
  names.map((name) => known(company.departments, name).id)

const memberKey = (company: CompanySnapshot, { room, login }: { room: string; login: string }) => ({
  companyId: company.id,
  chatroomId: known(company.rooms, room).id,
  userId: known(company.users, login).id,
})

function known<T>(things: Map<string, T>, name: string): T {
  const found = things.get(name)
  if (!found) throw new Error(`the plan names ${JSON.stringify(name)} before it exists`)
  return found
}
