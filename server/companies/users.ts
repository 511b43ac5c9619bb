import type { InvitationRequest } from '@sandbox-jobs/contract/resources/companies/invitation.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type {
  User,
  UserCreateRequest,
  UserList,
  UserUpdateRequest,
} from '@sandbox-jobs/contract/resources/companies/user.ts'
import { authorize, ownCompany } from '../access/allow.ts'
import { authorizeAgain } from '../access/authentication/lock-authority.ts'
import { directoryBytes, type ListRequest, type Platform, pageById } from '../access/directory/platform.ts'
import { hashing } from '../access/login/hashing.ts'
import { hashPassword } from '../access/login/passwords.ts'
import type { Principal } from '../access/principal.ts'
import { CodedError, notFound } from '../base/errors/coded-error.ts'
import { newToken } from '../base/ids.ts'
import { type Database, type Executing, type Trx, violates } from '../db/database.ts'
import { replaceManagedDepartments } from './department-manager-store.ts'
import { countDepartments } from './department-store.ts'
import {
  findUserByLogin,
  findUserRow,
  insertUser,
  listUserRows,
  lockAdministrators,
  type UserChange,
  type UserRow,
  updateUserRow,
} from './user-store.ts'

const render = (row: UserRow): User => ({
  ...row,
  created_at: row.created_at.toISOString(),
  disabled_at: row.disabled_at?.toISOString() ?? null,
})

export function listUsers(platform: Platform, principal: Principal, request: ListRequest): Promise<UserList> {
  authorize(principal, 'directory.manage', ownCompany)
  const list = { name: 'users', companyId: principal.companyId, request }
  return pageById(platform, list, (stretch) => listUserRows(platform.db, stretch), render)
}

/**
 * Throws `already_exists` if the login is in use anywhere in the deployment, `managed_departments_invalid`, or
 * `storage_quota_exceeded`.
 */
export const createUser = (
  platform: Platform,
  principal: Principal,
  { password, ...person }: UserCreateRequest,
): Promise<User> => addUser(platform, principal, person, () => hashFairly(principal.companyId, password))

/** The same with a hash that is made when nothing refuses the rest; null: the person has no password. */
export async function addUser(
  platform: Platform,
  principal: Principal,
  request: InvitationRequest,
  makeHash: () => Promise<string | null>,
): Promise<User> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  const role = request.role ?? roles.member
  const managed = request.managed_department_ids ?? []
  await checkManaged(platform.db, { companyId, role, departmentIds: managed })
  const bytes = directoryBytes.entry + managed.length * directoryBytes.membership
  await platform.requireStorageQuota(platform.db, companyId, bytes)
  const passwordHash = await makeHash()
  const displayName = request.display_name ?? request.login
  const user = { companyId, login: request.login, displayName, role, passwordHash }
  const id = await platform.db
    .transaction()
    .execute(async (trx) => {
      await requireStill(trx, principal)
      const userId = await insertUser(trx, user)
      await replaceManagedDepartments(trx, { companyId, userId }, managed)
      return userId
    })
    .catch((error: unknown) => {
      throw violates(error, 'users_login_key') ? new CodedError('already_exists') : error
    })
  return requireUser(platform.db, companyId, id)
}

/** The hash of a password may have waited for seconds: who was dismissed meanwhile changes nothing. */
export const requireStill = (trx: Trx, principal: Principal): Promise<void> =>
  authorizeAgain(trx, principal, 'directory.manage', ownCompany)

export const hashFairly = (companyId: string, password: string): Promise<string> =>
  hashing.inTurn({ id: companyId, isKnown: true }, () => hashPassword(password))

export async function readUser(platform: Platform, principal: Principal, id: string): Promise<User> {
  authorize(principal, 'directory.manage', ownCompany)
  return requireUser(platform.db, principal.companyId, id)
}

/**
 * Changes the given fields. A role other than department manager removes the managed departments. Throws
 * `last_administrator` if the company would have no administrator, and `storage_quota_exceeded` for more departments.
 */
export async function updateUser(
  platform: Platform,
  principal: Principal,
  id: string,
  request: UserUpdateRequest,
): Promise<User> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  if (Object.keys(request).length === 0) throw new CodedError('no_fields')
  await requireUser(platform.db, companyId, id)
  const passwordHash =
    request.password === undefined ? undefined : await hashFairly(companyId, request.password)
  return platform.db.transaction().execute(async (trx) => {
    const administrators = await lockAdministrators(trx, companyId)
    await requireStill(trx, principal)
    const before = await requireUser(trx, companyId, id)
    const change: UserChange = { passwordHash, displayName: request.display_name, role: request.role }
    if (request.disabled !== undefined && request.disabled !== (before.disabled_at !== null)) {
      change.disabledAt = request.disabled ? platform.clock.now() : null
    }
    const role = request.role ?? before.role
    const leavesOffice = role < roles.company_administrator || change.disabledAt instanceof Date
    if (leavesOffice && administrators.length === 1 && administrators[0] === id) {
      throw new CodedError('last_administrator')
    }
    const more = (request.managed_department_ids?.length ?? 0) - before.managed_department_ids.length
    if (more > 0) await platform.requireStorageQuota(trx, companyId, more * directoryBytes.membership)
    await updateUserRow(trx, { companyId, id }, change)
    await changeManaged(trx, before, { role, departmentIds: request.managed_department_ids })
    return requireUser(trx, companyId, id)
  })
}

/**
 * Gives a user a new random password and revokes the user's tokens. The operator uses it to recover a company whose
 * administrator can no longer log in. Undefined if the login is unknown.
 */
export async function resetPassword(db: Database, login: string): Promise<string | undefined> {
  const user = await findUserByLogin(db, login)
  if (!user) return undefined
  const password = newToken().slice(0, 24)
  await updateUserRow(db, user, { passwordHash: await hashPassword(password) })
  return password
}

async function changeManaged(
  trx: Trx,
  user: User,
  wanted: { role: number; departmentIds: string[] | undefined },
): Promise<void> {
  const { company_id: companyId, id: userId } = user
  const { role } = wanted
  const kept = role === roles.department_manager ? user.managed_department_ids : []
  const departmentIds = wanted.departmentIds ?? kept
  await checkManaged(trx, { companyId, role, departmentIds })
  await replaceManagedDepartments(trx, { companyId, userId }, departmentIds)
}

async function checkManaged(
  db: Executing,
  { companyId, role, departmentIds }: { companyId: string; role: number; departmentIds: string[] },
): Promise<void> {
  if (departmentIds.length === 0) return
  const known = await countDepartments(db, companyId, departmentIds)
  if (role !== roles.department_manager || known !== departmentIds.length) {
    throw new CodedError('managed_departments_invalid')
  }
}

export async function requireUser(db: Executing, companyId: string, id: string): Promise<User> {
  const row = await findUserRow(db, { companyId, id })
  if (!row) throw notFound()
  return render(row)
}
