import { hashPassword } from '../../access/login/passwords.ts'
import { newToken } from '../../base/ids.ts'
import type { DeclaredUser } from './company-file.ts'
import type { Change } from './plan.ts'

/** The password of a new user, and what is stored of it. */
export interface FirstPassword {
  password: string
  passwordHash: string
}

const generatedLength = 24

/** Of each user that the changes create, by login: as declared, or generated. */
export async function firstPasswords(changes: readonly Change[]): Promise<Map<string, FirstPassword>> {
  const passwords = new Map<string, FirstPassword>()
  for (const change of changes)
    if (change.kind === 'create_user') passwords.set(change.user.login, await firstPassword(change.user))
  return passwords
}

async function firstPassword(user: DeclaredUser): Promise<FirstPassword> {
  const password = user.password ?? newToken().slice(0, generatedLength)
  return { password, passwordHash: await hashPassword(password) }
}
