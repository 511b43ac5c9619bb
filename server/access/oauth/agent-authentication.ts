import type { IncomingHttpHeaders } from 'node:http'
import { principalOf, refuseCredentials } from '../authentication/authentication.ts'
import { findLogin } from '../authentication/credential-store.ts'
import type { IdentityProvider } from '../authentication/identity-provider.ts'
import { isLogin } from '../login/logins.ts'
import type { Principal } from '../principal.ts'
import { findUserOfGrant } from './grant-store.ts'
import type { AccessClaims, GrantDeps } from './grants.ts'

/*
 * Tokens that a client got by OAuth to act for a person in a room. No other route reads them, so that nobody confirms a
 * job, posts a message or changes anything else with one.
 */

export interface AgentAuthenticationDeps extends Pick<GrantDeps, 'db' | 'clock' | 'signed'> {
  /** Issues tokens for agents, when the operator uses one. */
  agentIdentityProvider: IdentityProvider | undefined
}

const tokenMaxLength = 4096
const bearer = /^bearer (?<token>\S+)$/i

/**
 * Whom a client acts for in a room; undefined for credentials of another kind. Throws 418 for a token that is not good
 * there.
 */
export async function principalOfAgent(
  deps: AgentAuthenticationDeps,
  headers: IncomingHttpHeaders,
  roomId: string,
): Promise<Principal | undefined> {
  const token = bearer.exec(headers.authorization ?? '')?.groups?.token
  if (token === undefined || token.length > tokenMaxLength) return undefined
  if (token.startsWith('sbx1.oauth-access.')) return ofOwnToken(deps, token, roomId)
  const { agentIdentityProvider: provider } = deps
  return provider?.issued(token) ? ofProvider(deps, provider, token) : undefined
}

async function ofOwnToken(
  { db, clock, signed }: AgentAuthenticationDeps,
  token: string,
  roomId: string,
): Promise<Principal> {
  const read = signed.read<AccessClaims>('oauth-access', token)
  if ('refused' in read || read.claims.room !== roomId) throw refuseCredentials()
  const { company: companyId, grant: id } = read.claims
  const user = await findUserOfGrant(db, { companyId, id, roomId }, clock.now())
  if (!user) throw refuseCredentials()
  return { ...principalOf(user, { id: user.user_id, authMethod: 'jwt' }), isAgent: true }
}

/** Undefined for a token of the provider that is for people: it is read as elsewhere. */
async function ofProvider(
  { db }: AgentAuthenticationDeps,
  provider: IdentityProvider,
  token: string,
): Promise<Principal | undefined> {
  const login = await provider.login(token)
  if (login === undefined) return undefined
  const user = isLogin(login) ? await findLogin(db, login) : undefined
  if (!user || user.disabled_at) throw refuseCredentials()
  return { ...principalOf(user, { id: user.id, authMethod: 'jwt' }), isAgent: true }
}
