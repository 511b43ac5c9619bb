import { newToken } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import { hashPassword } from './passwords.ts'
import { findUserByLogin, updateUserRow } from './user-store.ts'

/**
 * Gives a user a new random password and ends the tokens held so far: the operator's way back for a company whose
 * administrator cannot log in any more. Undefined when nobody has that login.
 */
export async function resetPassword(db: Database, login: string): Promise<string | undefined> {
  const user = await findUserByLogin(db, login)
  if (!user) return undefined
  const password = newToken().slice(0, 24)
  await updateUserRow(db, user, { passwordHash: await hashPassword(password) })
  return password
}
