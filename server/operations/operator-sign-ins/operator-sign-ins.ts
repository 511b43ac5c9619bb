import { createHash } from 'node:crypto'
import type { OperatorAccess, OperatorSignIn } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { Clock } from '../../base/clock.ts'
import { newToken } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import {
  deleteAllOperatorSignIns,
  deleteOperatorSignIn,
  dropOldOperatorSignIns,
  findOperatorSignIn,
  insertCode,
  type OperatorSignInRow,
  spendCode,
  touchOperatorSignIn,
} from './operator-sign-in-store.ts'

/*
 * Sign-ins of operators in a browser. Root on the machine makes a code, which a page of the operator console exchanges once for the
 * token of a cookie. The database has the SHA-256 of each and nothing else: both have 256 random bits, which nobody can guess.
 */

export interface OperatorServices {
  db: Database
  clock: Clock
}

export const codeSeconds = 60
const idleSeconds = 30 * 60
export const operatorSignInMaxSeconds = 8 * 3600
/** Of all operators together. */
const signInsMax = 20
/** A use is written at most this often. */
const touchedEverySeconds = 60

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)

/** The end of a sign-in that is used now and not again. */
const endOf = (createdAt: Date, now: Date): Date =>
  new Date(Math.min(later(now, idleSeconds).getTime(), later(createdAt, operatorSignInMaxSeconds).getTime()))

/** A code for an account of this machine. It is stored nowhere. */
export async function makeCode(
  { db, clock }: OperatorServices,
  asker: { account: string; access: OperatorAccess },
): Promise<string> {
  const code = newToken()
  const now = clock.now()
  await insertCode(db, { ...asker, hash: digest(code), expiresAt: later(now, codeSeconds) }, now)
  return code
}

/** Undefined for a code that is unknown, was used or is too old. The token is stored nowhere. */
export async function signInByCode(
  { db, clock }: OperatorServices,
  code: string,
): Promise<{ signIn: OperatorSignIn; token: string } | undefined> {
  const token = newToken()
  const now = clock.now()
  const row = await spendCode(db, digest(code), {
    tokenHash: digest(token),
    now,
    expiresAt: endOf(now, now),
  })
  if (!row) return undefined
  await dropOldOperatorSignIns(db, now, signInsMax)
  return { signIn: render(row), token }
}

/** The sign-in of a token, unless it has ended. With `isUse` its end moves. */
export async function operatorOf(
  { db, clock }: OperatorServices,
  token: string,
  isUse: boolean,
): Promise<OperatorSignIn | undefined> {
  const now = clock.now()
  const hash = digest(token)
  const row = await findOperatorSignIn(db, hash, now)
  if (!row || !isUse || later(row.last_used_at, touchedEverySeconds) > now) return row && render(row)
  const expiresAt = endOf(row.created_at, now)
  await touchOperatorSignIn(db, hash, { now, expiresAt })
  return render({ ...row, expires_at: expiresAt })
}

export const endOperatorSignIn = ({ db }: OperatorServices, token: string): Promise<void> =>
  deleteOperatorSignIn(db, digest(token))

/** Ends the sign-ins of all operators, and their codes. Resolves with the number of sign-ins that had not ended. */
export const endOperatorSignIns = ({ db, clock }: OperatorServices): Promise<number> =>
  deleteAllOperatorSignIns(db, clock.now())

const render = ({ account, access, expires_at }: OperatorSignInRow): OperatorSignIn => ({
  account,
  access,
  expires_at: expires_at.toISOString(),
})
