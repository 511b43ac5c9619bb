import { signInIdleSeconds, signInMaxSeconds, signInsOfPersonMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  SignIn,
  SignInList,
  SignInsEnded,
  SignInsEndRequest,
} from '@sandbox-jobs/contract/resources/access/sign-in.ts'
import type { Clock } from '../../base/clock.ts'
import { newId, newToken } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import { hashOfSignIn } from '../authentication/browser-sign-in.ts'
import type { UserCredential } from '../authentication/credential-store.ts'
import type { Principal } from '../principal.ts'
import { clientName } from './client-name.ts'
import { ProviderFailure } from './provider-failure.ts'
import {
  deleteOtherSignIns,
  deleteSignIn,
  dropOldSignIns,
  insertSignIn,
  listSignInRows,
  type PersonKey,
  type SignInRow,
} from './sign-in-store.ts'

export interface SignInServices {
  db: Database
  clock: Clock
}

/** When a sign-in ends that is used now. */
export const signInExpiry = (createdAt: Date, now: Date): Date =>
  new Date(Math.min(now.getTime() + signInIdleSeconds * 1000, createdAt.getTime() + signInMaxSeconds * 1000))

/** The browser that signs in. */
export interface SignInFrom {
  userAgent: string | undefined
  address: string
}

/**
 * Signs in whose password was verified, or whom the identity provider named, with the hash of its state. A password that changes
 * meanwhile ends it at once, since it has the former generation. The token is nowhere but in the answer. Throws `ProviderFailure` if
 * somebody has signed in with that state before.
 */
export async function createSignIn(
  { db, clock }: SignInServices,
  { company_id, id: user_id, credential_generation }: UserCredential,
  from: SignInFrom,
  providerStateHash: Buffer | null = null,
): Promise<{ signIn: SignIn; token: string }> {
  const token = newToken()
  const now = clock.now()
  const row: SignInRow = {
    id: newId('signIn'),
    company_id,
    user_id,
    token_hash: hashOfSignIn(token),
    credential_generation,
    client: clientName(from.userAgent),
    address: from.address.slice(0, 64),
    created_at: now,
    last_used_at: now,
    expires_at: signInExpiry(now, now),
    provider_state_hash: providerStateHash,
  }
  if (!(await insertSignIn(db, row))) throw new ProviderFailure('expired', 'state_used')
  await dropOldSignIns(db, { companyId: company_id, userId: user_id }, signInsOfPersonMax)
  return { signIn: render(row, row.id), token }
}

export async function listSignIns({ db, clock }: SignInServices, principal: Principal): Promise<SignInList> {
  const rows = await listSignInRows(db, personOf(principal), clock.now())
  return { items: rows.slice(0, signInsOfPersonMax).map((row) => render(row, principal.signInId)) }
}

/** Ends the sign-in of the request, all others of the caller, or one of them; says whether it was that of the request. */
export async function endSignIns(
  { db }: SignInServices,
  principal: Principal,
  { which }: SignInsEndRequest,
): Promise<SignInsEnded & { isCurrent: boolean }> {
  const person = personOf(principal)
  const { signInId } = principal
  if (which === 'others') return { ended: await deleteOtherSignIns(db, person, signInId), isCurrent: false }
  const id = which === 'current' ? signInId : which
  if (id === undefined) return { ended: 0, isCurrent: false }
  return { ended: await deleteSignIn(db, person, id), isCurrent: id === signInId }
}

const personOf = ({ companyId, principalId: userId }: Principal): PersonKey => ({ companyId, userId })

const render = (row: SignInRow, currentId: string | undefined): SignIn => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  client: row.client,
  address: row.address,
  by: row.provider_state_hash === null ? 'password' : 'provider',
  is_current: row.id === currentId,
})
