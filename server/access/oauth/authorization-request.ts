import { createHash, timingSafeEqual } from 'node:crypto'
import type { MacKeys } from '../../base/keys/rotated-key.ts'
import type { Principal } from '../principal.ts'
import { documentHostOf } from './client-document.ts'
import type { ClientDocuments } from './client-documents.ts'
import { clientIdMaxLength, type OAuthClient, readClient } from './client-registration.ts'
import { OAuthError } from './oauth-error.ts'
import { isRegistered, redirectUriMaxLength } from './redirect-uri.ts'
import { roomOfResource } from './room-resource.ts'

export interface AuthorizationDeps {
  /** `keys.derive('oauth')`. */
  oauthKeys: MacKeys
  baseUrl: string
}

/** A request of a client to act for a person, found to be complete (RFC 6749, section 4.1.1; RFC 7636; RFC 8707). */
export interface AuthorizationRequest extends AskedRequest {
  client: OAuthClient
}

/** The same before its person has logged in: a client that is not registered is known only then. */
export interface AskedRequest {
  client: OAuthClient | undefined
  clientId: string
  /** Of the document that describes the client; undefined for a registered client. */
  clientHost: string | undefined
  redirectUri: string
  challenge: string
  roomId: string
  state: string | undefined
}

const stateMaxLength = 2048
const challengeForm = /^[A-Za-z0-9_-]{43}$/
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

/**
 * Throws `OAuthError`. Nothing is ever sent to the address of a request that is not complete: who cannot be trusted with a
 * code cannot be trusted with the person's browser.
 */
export function readAuthorizationRequest(deps: AuthorizationDeps, query: unknown): AskedRequest {
  const fields = query as Record<string, unknown>
  const text = (name: string, maxLength: number): string => {
    const value = fields[name]
    if (typeof value !== 'string' || value === '' || value.length > maxLength)
      throw new OAuthError('invalid_request', `The request needs one ${name}.`)
    return value
  }
  const clientId = text('client_id', clientIdMaxLength)
  const clientHost = documentHostOf(clientId)
  const client = clientHost === undefined ? readClient(deps.oauthKeys, clientId) : undefined
  const redirectUri = text('redirect_uri', redirectUriMaxLength)
  if (client) checkRedirectUri(redirectUri, client)
  if (text('response_type', 32) !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  const challenge = text('code_challenge', 128)
  if (fields.code_challenge_method !== 'S256' || !challengeForm.test(challenge))
    throw new OAuthError(
      'invalid_request',
      'The request needs a code_challenge with code_challenge_method S256.',
    )
  const roomId = roomOfResource(deps.baseUrl, text('resource', 1024))
  if (roomId === undefined)
    throw new OAuthError('invalid_target', 'resource must be the MCP address of a room of this service.')
  const state = fields.state === undefined ? undefined : text('state', stateMaxLength)
  return { client, clientId, clientHost, redirectUri, challenge, roomId, state }
}

/** The request with its client, for a person who has logged in. Throws `OAuthError`. */
export async function withClient(
  documents: ClientDocuments,
  asked: AskedRequest,
  person: Principal,
): Promise<AuthorizationRequest> {
  const client = asked.client ?? (await documents.read(asked.clientId, person))
  checkRedirectUri(asked.redirectUri, client)
  return { ...asked, client }
}

function checkRedirectUri(redirectUri: string, { redirectUris }: OAuthClient): void {
  if (!isRegistered(redirectUri, redirectUris))
    throw new OAuthError('invalid_request', 'The client did not register this redirect_uri.')
}

/** Whether a verifier is the one of the challenge (RFC 7636, S256). */
export function isVerifier(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  const hashed = createHash('sha256').update(verifier).digest()
  const expected = Buffer.from(challenge, 'base64url')
  return hashed.length === expected.length && timingSafeEqual(hashed, expected)
}
