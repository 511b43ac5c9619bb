import { visibleText } from '@sandbox-jobs/contract/visible-text.ts'
import type { MacKeys } from '../../base/keys/rotated-key.ts'
import { readMacToken, writeMacToken } from './mac-token.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

/*
 * Registration of clients (RFC 7591) without a table: the client id is the registration itself, authenticated by a MAC
 * (appendix A.5.2 of that RFC). Anybody may register any number of clients, and nothing is stored, evicted or counted.
 * A registration proves nothing about who the client is; a person decides about it on a page.
 */

/** Characters of a client id: it is part of addresses. */
export const clientIdMaxLength = 2048
const metadataMaxBytes = 1200
const redirectUrisMax = 8
const nameMaxLength = 80

export interface OAuthClient {
  /** As the client calls itself: unverified, without characters that deceive. */
  name: string
  redirectUris: string[]
}

/** Public clients only: a secret that a program on a person's machine holds is none. */
export interface RegisteredClient {
  client_id: string
  client_id_issued_at: number
  client_name: string
  redirect_uris: string[]
  token_endpoint_auth_method: 'none'
  grant_types: ['authorization_code', 'refresh_token']
  response_types: ['code']
}

export interface ClientMetadata {
  redirect_uris?: unknown
  client_name?: unknown
}

/** Throws `OAuthError`: `invalid_redirect_uri`, `invalid_client_metadata`. Metadata that is not used is ignored. */
export function registerClient(keys: MacKeys, metadata: ClientMetadata, now: Date): RegisteredClient {
  const uris = metadata.redirect_uris
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must list 1 to ${redirectUrisMax} addresses.`)
  if (!uris.every((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri)))
    throw new OAuthError(
      'invalid_redirect_uri',
      'Each of redirect_uris must be https, or http on localhost, 127.0.0.1 or [::1], without a fragment.',
    )
  const client: OAuthClient = { name: nameOf(metadata.client_name), redirectUris: [...new Set(uris)] }
  if (Buffer.byteLength(JSON.stringify(client)) > metadataMaxBytes)
    throw new OAuthError('invalid_client_metadata', 'The addresses of redirect_uris are too long together.')
  return {
    client_id: writeMacToken(keys, 'mcpclient', client),
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** Throws `invalid_client`, upon which a client registers again. */
export function readClient(keys: MacKeys, clientId: string): OAuthClient {
  const client =
    clientId.length > clientIdMaxLength ? undefined : readMacToken<OAuthClient>(keys, 'mcpclient', clientId)
  if (!client) throw new OAuthError('invalid_client', 'The client is not registered here.')
  return client
}

/** A name that a client gives itself, for people. */
export function nameOf(name: unknown): string {
  const text = typeof name === 'string' ? name.replaceAll(/\s+/g, ' ').trim() : ''
  return visibleText([...text].slice(0, nameMaxLength).join('')) || 'A client without a name'
}
