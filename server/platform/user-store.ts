import { type Selectable, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { UsersTable } from '../db/tables/platform.ts'
import type { Stretch } from './platform.ts'
import { administratorRole } from './principal.ts'

export interface UserRow extends Omit<Selectable<UsersTable>, 'password_hash' | 'credential_generation'> {
  managed_department_ids: string[]
}

interface UserKey {
  companyId: string
  id: string
}

const users = (db: Executing, companyId: string) =>
  db
    .selectFrom('users')
    .select(['id', 'company_id', 'login', 'display_name', 'role', 'disabled_at', 'created_at'])
    .select(
      sql<string[]>`array(
        select managed.department_id from department_managers managed
        where managed.user_id = users.id and managed.company_id = users.company_id
        order by managed.department_id
      )`.as('managed_department_ids'),
    )
    .where('company_id', '=', companyId)

export const findUserRow = (db: Executing, key: UserKey): Promise<UserRow | undefined> =>
  users(db, key.companyId).where('id', '=', key.id).executeTakeFirst()

/** Disabled users are the retired ones. */
export const listUserRows = (db: Executing, stretch: Stretch): Promise<UserRow[]> =>
  users(db, stretch.companyId)
    .$if(stretch.lifecycle === 'active', (query) => query.where('disabled_at', 'is', null))
    .$if(stretch.lifecycle === 'retired', (query) => query.where('disabled_at', 'is not', null))
    .where('id', '>', stretch.afterId)
    .orderBy('id')
    .limit(stretch.limit)
    .execute()

export const allUserRows = (db: Executing, companyId: string): Promise<UserRow[]> =>
  users(db, companyId).orderBy('login').execute()

/** Companies of the users that have one of `logins`, which are unique in the deployment. */
export const findLoginCompanies = (
  db: Executing,
  logins: readonly string[],
): Promise<{ login: string; company_id: string }[]> =>
  db
    .selectFrom('users')
    .modifyFront(acrossCompanies('a login is unique in the deployment and finds the company'))
    .select(['login', 'company_id'])
    .where('login', 'in', logins.length > 0 ? logins : [''])
    .execute()

/** The user of that login, which is unique in the deployment. For the operator: a tenant names users by company. */
export const findUserByLogin = (db: Executing, login: string): Promise<UserKey | undefined> =>
  db
    .selectFrom('users')
    .modifyFront(acrossCompanies('the operator names a user by login'))
    .select(['id', 'company_id as companyId'])
    .where('login', '=', login)
    .executeTakeFirst()

export interface NewUser {
  companyId: string
  login: string
  displayName: string
  role: number
  passwordHash: string
  disabledAt?: Date | null
}

export async function insertUser(db: Executing, user: NewUser): Promise<string> {
  const id = newId('user')
  await db
    .insertInto('users')
    .values({
      id,
      company_id: user.companyId,
      login: user.login,
      display_name: user.displayName,
      role: user.role,
      password_hash: user.passwordHash,
      disabled_at: user.disabledAt ?? null,
    })
    .execute()
  return id
}

export interface UserChange {
  displayName?: string | undefined
  role?: number | undefined
  passwordHash?: string | undefined
  /** Null enables. */
  disabledAt?: Date | null | undefined
}

/** A new password and disabling raise the credential generation, which ends the tokens the user holds. */
export async function updateUserRow(db: Executing, key: UserKey, change: UserChange): Promise<void> {
  const endsTokens = change.passwordHash !== undefined || change.disabledAt instanceof Date
  await db
    .updateTable('users')
    .set({
      credential_generation: sql<number>`credential_generation + ${endsTokens ? 1 : 0}::int`,
      ...(change.displayName !== undefined && { display_name: change.displayName }),
      ...(change.role !== undefined && { role: change.role }),
      ...(change.passwordHash !== undefined && { password_hash: change.passwordHash }),
      ...(change.disabledAt !== undefined && { disabled_at: change.disabledAt }),
    })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .execute()
}

/** Locks the company's active administrators: of two that demote each other at once, one waits and then sees. */
export async function lockAdministrators(trx: Trx, companyId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('company_id', '=', companyId)
    .where('role', '=', administratorRole)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.id)
}
