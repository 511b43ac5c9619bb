import { confirmFormLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { Database } from '../../db/database.ts'
import { principalOfLogin, refuseCredentials } from '../authentication/authentication.ts'
import { findUserCredential, type UserCredential } from '../authentication/credential-store.ts'
import type { Principal } from '../principal.ts'

/*
 * The login of a person between two steps of a form without scripts or cookies: a hidden field of the second step. It is
 * good for one thing, for a few minutes, and as long as a login token of that person would be.
 */

interface FormClaims {
  company: string
  user: string
  /** The user's `credential_generation`. */
  generation: number
  /** The subject of the form. */
  subject: string
}

export interface FormLoginDeps {
  db: Database
  clock: Clock
  signed: SignedTokens
}

/** Of a person who has just logged in with a password: what ended that login meanwhile ends the form too. */
export function signForm(
  { clock, signed }: Pick<FormLoginDeps, 'clock' | 'signed'>,
  { companyId, principalId: userId, credentialGeneration: generation }: Principal,
  subject: string,
): string {
  if (generation === undefined) throw new Error('a form is signed for a login with a password alone')
  const claims: FormClaims = { company: companyId, user: userId, generation, subject }
  return signed.sign(
    'confirm-form',
    claims,
    new Date(clock.now().getTime() + confirmFormLifetimeSeconds * 1000),
  )
}

/** The company of the form, before its turn has come: who sent it is looked up afterwards. Throws 418. */
export const companyOfForm = (deps: Pick<FormLoginDeps, 'signed'>, token: string, subject: string): string =>
  claimsOf(deps, token, subject).company

/** The principal who logged in for a form about this; throws 418. */
export async function principalOfForm(
  deps: FormLoginDeps,
  token: string,
  subject: string,
): Promise<Principal> {
  return principalOfLogin(await userOfForm(deps, token, subject))
}

/** The same as a user. */
export async function userOfForm(
  { db, signed }: FormLoginDeps,
  token: string,
  subject: string,
): Promise<UserCredential> {
  const { company: companyId, user: userId, generation } = claimsOf({ signed }, token, subject)
  const user = await findUserCredential(db, { companyId, userId })
  if (!user || user.disabled_at || user.credential_generation !== generation) throw refuseCredentials()
  return user
}

function claimsOf({ signed }: Pick<FormLoginDeps, 'signed'>, token: string, subject: string): FormClaims {
  const read = signed.read<FormClaims>('confirm-form', token)
  if ('refused' in read || read.claims.subject !== subject) throw refuseCredentials()
  return read.claims
}
