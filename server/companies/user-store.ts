import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { type Selectable, sql } from 'kysely'
import type { Stretch } from '../access/directory/platform.ts'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { UsersTable } from '../db/tables/platform.ts'

export interface UserRow
  extends Omit<Selectable<UsersTable>, 'password_hash' | 'credential_generation' | 'email'> {
  managed_department_ids: string[]
}

export interface UserKey {
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

/** The same, and whether the person logs in with a password of this service. */
export const findAccountRow = (
  db: Executing,
  key: UserKey,
): Promise<(UserRow & { has_password: boolean }) | undefined> =>
  users(db, key.companyId)
    .select(sql<boolean>`password_hash is not null`.as('has_password'))
    .where('id', '=', key.id)
    .executeTakeFirst()

/** Disabled users are listed as retired. */
export const listUserRows = (db: Executing, stretch: Stretch): Promise<UserRow[]> =>
  users(db, stretch.companyId)
    .$if(stretch.lifecycle === 'active', (query) => query.where('disabled_at', 'is', null))
    .$if(stretch.lifecycle === 'retired', (query) => query.where('disabled_at', 'is not', null))
    .where('id', '>', stretch.afterId)
    .orderBy('id')
    .limit(stretch.limit)
    .execute()

/** With the addresses, which only the operator sees. */
export const allUserRows = (
  db: Executing,
  companyId: string,
): Promise<(UserRow & { email: string | null })[]> =>
  users(db, companyId).select('email').orderBy('login').execute()

/** Companies of the users with these logins. Logins are unique in the deployment. */
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

/**
 * The user with this login, which is unique in the deployment. Only for the operator: tenants address users within a
 * company.
 */
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
  /** Null: the person has none yet. */
  passwordHash: string | null
  disabledAt?: Date | null
  email?: string | null
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
      email: user.email ?? null,
    })
    .execute()
  return id
}

export interface UserChange {
  displayName?: string | undefined
  role?: number | undefined
  /** Null: none, until the person chooses one. */
  passwordHash?: string | null | undefined
  /** Null enables the user. */
  disabledAt?: Date | null | undefined
  /** Null: none. */
  email?: string | null | undefined
}

/** A new password, its removal, and disabling increment the credential generation, which revokes the user's tokens. */
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
      ...(change.email !== undefined && { email: change.email }),
    })
    .where('company_id', '=', key.companyId)
    .where('id', '=', key.id)
    .execute()
}

/**
 * Locks the company's active administrators. If two demote each other concurrently, one waits and then sees the
 * other's change.
 */
export async function lockAdministrators(trx: Trx, companyId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('company_id', '=', companyId)
    .where('role', '=', roles.company_administrator)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    // Rows that name them may be written meanwhile.
    .forNoKeyUpdate()
    .execute()
  return rows.map((row) => row.id)
}

interface UserOfGeneration {
  company: string
  user: string
  generation: number
}

/** The person if they are not disabled, and neither were nor got another password since that generation. */
export const findUserOfGeneration = (
  db: Executing,
  { company, user, generation }: UserOfGeneration,
): Promise<{ login: string } | undefined> =>
  db
    .selectFrom('users')
    .select('login')
    .where('company_id', '=', company)
    .where('id', '=', user)
    .where('credential_generation', '=', generation)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()

/** Sets a password for the same person, which begins the next generation. False if there is none. */
export async function choosePasswordRow(
  trx: Trx,
  { company, user, generation }: UserOfGeneration,
  passwordHash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ password_hash: passwordHash, credential_generation: generation + 1 })
    .where('company_id', '=', company)
    .where('id', '=', user)
    .where('credential_generation', '=', generation)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
