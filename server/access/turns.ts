import { turnReceiptLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Clock } from '../base/clock.ts'
import { notFound } from '../base/errors/coded-error.ts'
import type { Peppers } from '../base/keys/peppers.ts'
import type { SignedTokens } from '../base/keys/signed-tokens.ts'
import { settleAll } from '../base/settle-all.ts'
import type { Database } from '../db/database.ts'
import { principalOfLogin, refuseCredentials } from './authentication/authentication.ts'
import type { Presented } from './authentication/browser-sign-in.ts'
import { findUserCredential } from './authentication/credential-store.ts'
import { findSocialClient, findSocialClientOf } from './directory/social-client-store.ts'
import { findLiveApiKey } from './keys/api-key-store.ts'
import { isLiveGatewayKey } from './keys/gateway-key-store.ts'
import { useGatewayKey } from './keys/gateway-keys.ts'
import type { HumanTurn, Principal } from './principal.ts'

/*
 * Human turns (contract part 3, D2). A message of a person in a room starts a turn, and the signed turn context lets an
 * agent act as that person, in that room, for ten minutes. A chat pipeline posts messages with a gateway key on behalf of
 * the people of its company. As with logins, a token only names a person: who they are is read for every request, and
 * that the credential which posted the message still holds.
 */

interface TurnClaims {
  company: string
  room: string
  type: Principal['principalType']
  principal: string
  auth: Principal['authMethod']
  message: string
  sequence: number
  /** See `HumanTurn.byKey`. */
  key: boolean
  /** The sender of the message: a key, or a login with a password. */
  gateway_key?: string | undefined
  api_key?: string | undefined
  generation?: number | undefined
}

export interface TurnDeps {
  db: Database
  peppers: Peppers
  clock: Clock
  signed: SignedTokens
}

type Authenticate = (request: Presented) => Promise<Principal>

const tokenMaxLength = 4096
const onBehalfForm = /^(?<kind>user|line|messenger|whatsapp):(?<id>[A-Za-z0-9_.:@+-]{1,128})$/

/** The signed context of a turn, and its end. */
export function signTurn(
  { signed, clock }: Pick<TurnDeps, 'signed' | 'clock'>,
  principal: Principal,
  turn: HumanTurn,
): { turnContext: string; expiresAt: Date } {
  const expiresAt = new Date(clock.now().getTime() + turnReceiptLifetimeSeconds * 1000)
  const claims: TurnClaims = {
    company: principal.companyId,
    room: turn.roomId,
    type: principal.principalType,
    principal: principal.principalId,
    auth: principal.authMethod,
    message: turn.messageId,
    sequence: turn.sequence,
    key: principal.apiKey !== undefined,
    gateway_key: principal.gatewayKeyId,
    api_key: principal.apiKey?.id,
    generation: principal.gatewayKeyId === undefined ? principal.credentialGeneration : undefined,
  }
  return { turnContext: signed.sign('turn-context', claims, expiresAt), expiresAt }
}

/** Whom a turn context names, while it is good; throws 418 otherwise, in the words of any wrong credential. */
export async function principalOfTurn(deps: TurnDeps, token: unknown): Promise<Principal> {
  if (typeof token !== 'string' || token.length > tokenMaxLength) throw refuseCredentials()
  const read = deps.signed.read<TurnClaims>('turn-context', token)
  if ('refused' in read) throw refuseCredentials()
  const {
    company: companyId,
    room: roomId,
    type,
    principal: id,
    message: messageId,
    sequence,
    auth,
    key: byKey,
  } = read.claims
  const [principal, key] = await settleAll([
    findPerson(deps.db, { companyId, type, id }),
    findKeyOfTurn(deps.db, read.claims),
  ])
  const { generation = principal?.credentialGeneration } = read.claims
  if (!principal || !key || principal.credentialGeneration !== generation) throw refuseCredentials()
  return { ...principal, ...key, authMethod: auth, turn: { roomId, messageId, sequence, byKey } }
}

/**
 * The API key that posted the message, which what the agent submits is submitted with; empty for other credentials. Undefined once a
 * key is revoked or has expired.
 */
async function findKeyOfTurn(
  db: Database,
  { company: companyId, gateway_key, api_key: id }: TurnClaims,
): Promise<Pick<Principal, 'apiKey'> | undefined> {
  if (gateway_key !== undefined)
    return (await isLiveGatewayKey(db, { companyId, id: gateway_key })) ? {} : undefined
  if (id === undefined) return {}
  const apiKey = await findLiveApiKey(db, { companyId, id })
  return apiKey && { apiKey }
}

/** Authenticates agents by `X-Turn-Context`. */
export const turnAuthentication =
  (deps: TurnDeps): Authenticate =>
  ({ headers }) =>
    principalOfTurn(deps, headers['x-turn-context'])

/**
 * Authenticates whoever posts a message: a person by their own credentials, or a pipeline by its gateway key. Throws 418 for the
 * credential itself, and `not_found` for a gateway key that names nobody whom it may speak for.
 */
export const messageAuthentication =
  (deps: TurnDeps, byOwnCredentials: Authenticate): Authenticate =>
  async (request) => {
    const { headers } = request
    const key = headers['x-gateway-key']
    if (key === undefined) return byOwnCredentials(request)
    const gateway = typeof key === 'string' ? await useGatewayKey(deps, key) : undefined
    const named = onBehalfForm.exec(String(headers['x-on-behalf-of'] ?? ''))?.groups
    if (!gateway) throw refuseCredentials()
    if (!named) throw notFound()
    const { kind = '', id = '' } = named
    const { companyId } = gateway
    const principal =
      kind === 'user'
        ? await findPerson(deps.db, { companyId, type: 'user', id })
        : await findClientOf(deps.db, { companyId, channel: kind, clientId: id })
    if (!principal) throw notFound()
    return { ...principal, authMethod: 'api_key', gatewayKeyId: gateway.id }
  }

async function findPerson(
  db: Database,
  { companyId, type, id }: { companyId: string; type: Principal['principalType']; id: string },
): Promise<Principal | undefined> {
  if (type === 'social_media_client') {
    const client = await findSocialClient(db, { companyId, id })
    return client && clientPrincipal(client)
  }
  return findUser(db, companyId, id)
}

/** A user of the company as they are now, as if logged in; undefined for one that is gone or disabled. */
export async function findUser(
  db: Database,
  companyId: string,
  userId: string,
): Promise<Principal | undefined> {
  const user = await findUserCredential(db, { companyId, userId })
  return user && !user.disabled_at ? principalOfLogin(user) : undefined
}

/** The same with one of their keys; undefined also where the key is revoked or has expired. */
export async function findUserWithKey(
  db: Database,
  { companyId, userId, apiKeyId: id }: { companyId: string; userId: string; apiKeyId: string },
): Promise<Principal | undefined> {
  const [user, apiKey] = await settleAll([
    findUser(db, companyId, userId),
    findLiveApiKey(db, { companyId, id }),
  ])
  return user && apiKey && { ...user, authMethod: 'api_key', apiKey }
}

async function findClientOf(
  db: Database,
  where: { companyId: string; channel: string; clientId: string },
): Promise<Principal | undefined> {
  const client = await findSocialClientOf(db, where)
  return client && clientPrincipal(client)
}

/** An external person has no role in the company. */
const clientPrincipal = (client: { id: string; company_id: string; chatroom_id: string }): Principal => ({
  companyId: client.company_id,
  principalType: 'social_media_client',
  principalId: client.id,
  authMethod: 'api_key',
  role: 0,
  managedDepartmentIds: [],
  clientRoomId: client.chatroom_id,
})
