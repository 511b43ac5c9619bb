import { passwordAddressLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type {
  InvitationRequest,
  PasswordAddress,
} from '@sandbox-jobs/contract/resources/companies/invitation.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { authorize, ownCompany } from '../access/allow.ts'
import { findUserCredential } from '../access/authentication/credential-store.ts'
import { authorizeAgain } from '../access/authentication/lock-authority.ts'
import type { Platform } from '../access/directory/platform.ts'
import type { Principal } from '../access/principal.ts'
import { notFound } from '../base/errors/coded-error.ts'
import type { SignedTokens } from '../base/keys/signed-tokens.ts'
import type { Database, Executing } from '../db/database.ts'
import { choosePasswordRow, findUserOfGeneration, lockAdministrators, updateUserRow } from './user-store.ts'
import { addUser, hashFairly, requireStill, requireUser } from './users.ts'

/*
 * Addresses of the page on which a person chooses a password, made by an administrator. An address has a signed token and no
 * row. The token names the `credential_generation` of the person, which each change of the password and each disabling
 * raises: so it is good once, and an address that is made later replaces it. It also names the credential of the
 * administrator and ends with it: who is dismissed keeps no address that lets anybody in.
 */

export interface PasswordAddressDeps extends Platform {
  signed: SignedTokens
  baseUrl: string
}

/** Path of the page, below the address of the service. */
export const passwordPath = '/password'

export interface PasswordClaims {
  company: string
  user: string
  generation: number
  /** Absent: the person. */
  by?: Issuer
}

/** The administrator who made the address, with the generation of the login or the API key of the request. */
interface Issuer {
  user: string
  generation?: number
  key?: string
}

/** Creates a person without a password. Throws as `createUser` does. */
export async function inviteUser(
  deps: PasswordAddressDeps,
  principal: Principal,
  request: InvitationRequest,
): Promise<PasswordAddress> {
  const user = await addUser(deps, principal, request, async () => null)
  return signAddress(deps, deps.db, principal, user)
}

/** Removes the password of a person, which also ends their logins and earlier addresses. */
export async function createPasswordAddress(
  deps: PasswordAddressDeps,
  principal: Principal,
  id: string,
): Promise<PasswordAddress> {
  authorize(principal, 'directory.manage', ownCompany)
  const { companyId } = principal
  return deps.db.transaction().execute(async (trx) => {
    await lockAdministrators(trx, companyId)
    await requireStill(trx, principal)
    const user = await requireUser(trx, companyId, id)
    await updateUserRow(trx, { companyId, id }, { passwordHash: null })
    return signAddress(deps, trx, principal, user)
  })
}

async function signAddress(
  { signed, clock, baseUrl }: PasswordAddressDeps,
  db: Executing,
  { principalId, credentialGeneration, apiKey }: Principal,
  user: User,
): Promise<PasswordAddress> {
  const { id, company_id: companyId } = user
  const credential = await findUserCredential(db, { companyId, userId: id })
  if (!credential) throw new Error('users are never removed')
  const by = {
    user: principalId,
    ...(credentialGeneration !== undefined && { generation: credentialGeneration }),
    ...(apiKey && { key: apiKey.id }),
  }
  const { credential_generation: generation } = credential
  const claims: PasswordClaims = {
    company: companyId,
    user: id,
    generation,
    ...(principalId !== id && { by }),
  }
  const expiresAt = new Date(clock.now().getTime() + passwordAddressLifetimeSeconds * 1000)
  const token = signed.sign('password-address', claims, expiresAt)
  return { user, address: `${baseUrl}${passwordPath}?token=${token}`, expires_at: expiresAt.toISOString() }
}

/** The claims of an address that this service made and that is not too old. Throws `not_found`. */
export function readPasswordToken({ signed }: { signed: SignedTokens }, token: string): PasswordClaims {
  const read = signed.read<PasswordClaims>('password-address', token)
  if ('refused' in read) throw notFound()
  return read.claims
}

/** The login of the person whose address is good. It stays so: programs that scan e-mails open addresses too. Throws `not_found`. */
export async function loginOfAddress(db: Database, claims: PasswordClaims): Promise<string> {
  const user = await findUserOfGeneration(db, claims)
  if (!user) throw notFound()
  return user.login
}

/**
 * Uses the address up. Of several at once one sets its password. Throws `not_found`, or as `authorizeAgain` where the administrator
 * who made it could not make it now.
 */
export async function choosePassword(db: Database, claims: PasswordClaims, password: string): Promise<void> {
  const { company, by } = claims
  await loginOfAddress(db, claims)
  const passwordHash = await hashFairly(company, password)
  await db.transaction().execute(async (trx) => {
    // In the order of `updateUser`: administrators may choose at addresses that they made for each other.
    await lockAdministrators(trx, company)
    if (by) await authorizeAgain(trx, issuerOf(company, by), 'directory.manage', ownCompany)
    if (!(await choosePasswordRow(trx, claims, passwordHash))) throw notFound()
  })
}

/** Their role is read by `authorizeAgain`. */
const issuerOf = (companyId: string, { user, generation, key }: Issuer): Principal => ({
  companyId,
  principalType: 'user',
  principalId: user,
  authMethod: key === undefined ? 'jwt' : 'api_key',
  role: roles.auditor,
  managedDepartmentIds: [],
  ...(generation !== undefined && { credentialGeneration: generation }),
  ...(key !== undefined && { apiKey: { id: key, scope: 'full', allowedChatroomIds: [] } }),
})
