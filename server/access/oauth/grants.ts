import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { nameActor } from '../../base/current-request.ts'
import { newId } from '../../base/ids.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Database } from '../../db/database.ts'
import { findUserCredential, type UserCredential } from '../authentication/credential-store.ts'
import { type AuthorizationDeps, type AuthorizationRequest, isVerifier } from './authorization-request.ts'
import { documentHostOf } from './client-document.ts'
import { readClient } from './client-registration.ts'
import {
  countGrantsSince,
  dropOldGrants,
  findGrant,
  type GrantKey,
  type GrantRow,
  insertGrant,
  revokeGrant,
  rotateGrant,
} from './grant-store.ts'
import { readMacToken, writeMacToken } from './mac-token.ts'
import { OAuthError } from './oauth-error.ts'
import { roomResource, toolScope } from './room-resource.ts'

/*
 * A grant: a person lets a client use the tools for them in one room. Its row is written when the client exchanges its
 * code, which a person's login had to precede, so clients alone store nothing. The row has no secret: codes and access
 * tokens are signed, refresh tokens have a MAC and the number that the row expects next.
 *
 * A code makes at most one row, because the id of the grant is in the code. A code or a refresh token that is used again
 * was stolen, or its thief was faster: the grant ends. After a refresh whose answer was lost, the client may repeat it for
 * a few seconds.
 */

export interface GrantDeps extends AuthorizationDeps {
  db: Database
  clock: Clock
  signed: SignedTokens
}

/** Of one request, which has no credentials by which it could wait for its turn. */
export interface ExchangeDeps extends GrantDeps {
  /** Resolves when a request of the company may start. Call it when the company is certain, and before rows are locked. */
  takeTurn: (companyId: string) => Promise<void>
}

export interface IssuedTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: typeof toolScope
}

interface CodeClaims {
  company: string
  user: string
  /** The user's `credential_generation`. */
  generation: number
  grant: string
  room: string
  name: string
  /** Hashes, in hex. */
  client: string
  redirect: string
  challenge: string
}

export interface AccessClaims {
  company: string
  grant: string
  room: string
}

interface RefreshClaims {
  company: string
  grant: string
  sequence: number
}

const codeSeconds = 60
export const accessTokenSeconds = 600
const idleDays = 30
const lifetimeDays = 90
/** For a client whose answer was lost, and for two programs that share a token. */
const repeatMs = 10_000
/** Of one person: programs on a few machines, in a few rooms. */
const keptOfUser = 20
const newOfUserMax = 10
const newWithinMs = 2 * codeSeconds * 1000

const after = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const badGrant = () =>
  new OAuthError('invalid_grant', 'The code or token is not valid any more. Log in again.')

/** The code that the client gets for a request that the person has allowed. */
export function signCode(
  { signed, clock }: Pick<GrantDeps, 'signed' | 'clock'>,
  user: UserCredential,
  request: AuthorizationRequest,
): string {
  const claims: CodeClaims = {
    company: user.company_id,
    user: user.id,
    generation: user.credential_generation,
    grant: newId('oauthGrant'),
    room: request.roomId,
    name: request.client.name,
    client: hashOf(request.clientId).toString('hex'),
    redirect: hashOf(request.redirectUri).toString('hex'),
    challenge: request.challenge,
  }
  return signed.sign('oauth-code', claims, after(clock.now(), codeSeconds))
}

export interface CodeExchange {
  code: string
  client_id: string
  redirect_uri: string
  code_verifier: string
  resource?: string | undefined
}

/** Makes the grant of a code. Throws `OAuthError`. */
export async function exchangeCode(deps: ExchangeDeps, exchange: CodeExchange): Promise<IssuedTokens> {
  const clientHash = requireClient(deps, exchange.client_id)
  const read = deps.signed.read<CodeClaims>('oauth-code', exchange.code)
  if ('refused' in read) throw badGrant()
  const { claims } = read
  const isOwn =
    claims.client === clientHash.toString('hex') &&
    claims.redirect === hashOf(exchange.redirect_uri).toString('hex') &&
    isVerifier(exchange.code_verifier, claims.challenge)
  if (!isOwn) throw badGrant()
  nameActor({ actor_type: 'user', actor_id: claims.user })
  checkResource(deps, exchange.resource, claims.room)
  await deps.takeTurn(claims.company)
  const key = { companyId: claims.company, id: claims.grant }
  if (!(await storeGrant(deps, claims, clientHash))) {
    await end(deps, { ...key, clientHash })
    throw badGrant()
  }
  return tokensOf(deps, key, { roomId: claims.room, sequence: 1 })
}

/** False if the code was used before. */
function storeGrant({ db, clock }: GrantDeps, claims: CodeClaims, clientHash: Buffer): Promise<boolean> {
  const now = clock.now()
  const of = { companyId: claims.company, userId: claims.user }
  const since = new Date(now.getTime() - newWithinMs)
  return db.transaction().execute(async (trx) => {
    await lockCompany(trx, claims.company, `oauth:${claims.user}`)
    const user = await findUserCredential(trx, of)
    if (!user || user.disabled_at || user.credential_generation !== claims.generation) throw badGrant()
    if ((await countGrantsSince(trx, of, since)) >= newOfUserMax)
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many logins of this person. Try again in two minutes.',
      )
    const isNew = await insertGrant(trx, {
      id: claims.grant,
      company_id: claims.company,
      user_id: claims.user,
      chatroom_id: claims.room,
      client_name: claims.name,
      client_hash: clientHash,
      credential_generation: claims.generation,
      created_at: now,
      refreshed_at: now,
      expires_at: after(now, idleDays * 86_400),
    })
    await dropOldGrants(trx, of, { kept: keptOfUser, since })
    return isNew
  })
}

export interface Refresh {
  refresh_token: string
  client_id: string
  resource?: string | undefined
}

/** Exchanges a refresh token for the next one and an access token. Throws `OAuthError`. */
export async function refreshTokens(deps: ExchangeDeps, refresh: Refresh): Promise<IssuedTokens> {
  const clientHash = requireClient(deps, refresh.client_id)
  const claims = readMacToken<RefreshClaims>(deps.oauthKeys, 'mcprefresh', refresh.refresh_token)
  if (!claims) throw badGrant()
  await deps.takeTurn(claims.company)
  const key = { companyId: claims.company, id: claims.grant }
  const found = await findGrant(deps.db, key)
  if (!found?.client_hash.equals(clientHash)) throw badGrant()
  checkResource(deps, refresh.resource, found.chatroom_id)
  const at = deps.clock.now()
  const rotated = await rotateGrant(
    deps.db,
    { ...key, clientHash, sequence: claims.sequence },
    { at, idleUntil: after(at, idleDays * 86_400), lifetimeDays },
  )
  const grant = rotated ?? (await repeated(deps, { ...key, clientHash }, claims.sequence))
  return tokensOf(deps, key, { roomId: grant.chatroom_id, sequence: grant.refresh_sequence })
}

/** The grant, if its last refresh may be answered again. A token from before that ends it. */
async function repeated(
  deps: GrantDeps,
  key: GrantKey & { clientHash: Buffer },
  sequence: number,
): Promise<GrantRow> {
  const grant = await findGrant(deps.db, key)
  const now = deps.clock.now()
  if (!grant || grant.revoked_at || grant.expires_at <= now || sequence >= grant.refresh_sequence)
    throw badGrant()
  const isLast = sequence === grant.refresh_sequence - 1
  if (isLast && now.getTime() - grant.refreshed_at.getTime() < repeatMs) return grant
  await end(deps, key)
  throw badGrant()
}

/** Ends the grant of a token (RFC 7009). Tokens that are unknown, or another client's, change nothing. */
export async function revokeToken(
  deps: ExchangeDeps,
  { token, client_id }: { token: string; client_id: string },
): Promise<void> {
  const clientHash = requireClient(deps, client_id)
  const access = deps.signed.read<AccessClaims>('oauth-access', token)
  const claims =
    'claims' in access ? access.claims : readMacToken<RefreshClaims>(deps.oauthKeys, 'mcprefresh', token)
  if (!claims) return
  await deps.takeTurn(claims.company)
  await end(deps, { companyId: claims.company, id: claims.grant, clientHash })
}

/** The row stays for as long as a code of it could come. */
const end = ({ db, clock }: GrantDeps, key: GrantKey & { clientHash: Buffer }): Promise<void> => {
  const at = clock.now()
  return revokeGrant(db, key, { at, keptUntil: after(at, 2 * codeSeconds) })
}

function requireClient({ oauthKeys }: GrantDeps, clientId: string): Buffer {
  // A client with a document is not fetched again: codes and tokens are bound to its address, and outlast its server.
  if (documentHostOf(clientId) === undefined) readClient(oauthKeys, clientId)
  return hashOf(clientId)
}

function checkResource({ baseUrl }: GrantDeps, resource: string | undefined, roomId: string): void {
  if (resource !== undefined && resource !== roomResource(baseUrl, roomId))
    throw new OAuthError('invalid_target', 'The token is for another resource.')
}

function tokensOf(
  { signed, clock, oauthKeys }: GrantDeps,
  { companyId: company, id: grant }: GrantKey,
  { roomId: room, sequence }: { roomId: string; sequence: number },
): IssuedTokens {
  const access: AccessClaims = { company, grant, room }
  const refresh: RefreshClaims = { company, grant, sequence }
  return {
    access_token: signed.sign('oauth-access', access, after(clock.now(), accessTokenSeconds)),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: writeMacToken(oauthKeys, 'mcprefresh', refresh),
    scope: toolScope,
  }
}
