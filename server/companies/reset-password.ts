import { hashPassword } from '../access/login/passwords.ts'
import { newToken } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import { findUserByLogin, updateUserRow } from './user-store.ts'

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
