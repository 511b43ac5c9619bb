import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { clientIdMaxLength, nameOf, type OAuthClient } from './client-registration.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

/*
 * Clients that are not registered: their id is the address of a document that describes them (OAuth Client ID Metadata
 * Document, draft-ietf-oauth-client-id-metadata-document). The controller of the address is certain, the name in it is not.
 */

/** Of a document; the draft recommends 5 KiB to its authors. */
export const documentMaxBytes = 16 * 1024

/**
 * The host of a client id that is the address of a document; undefined for any other id. The address has a path, and is spelled
 * as a parser would write it: no dot segments, no user name, no fragment, no upper case in the host, no default port.
 */
export function documentHostOf(clientId: string): string | undefined {
  if (!clientId.startsWith('https://') || clientId.length > clientIdMaxLength) return undefined
  const url = URL.parse(clientId)
  if (!url || url.href !== clientId || url.pathname === '/' || clientId.includes('#')) return undefined
  return url.username === '' && url.password === '' ? url.host : undefined
}

const wrong = (problem: string) =>
  new OAuthError('invalid_client', `The document at the client_id cannot be used: ${problem}.`)

/**
 * The client that a document describes. Addresses in it that a client may not have are left out. Throws `invalid_client`; the
 * message quotes nothing of the document.
 */
export function readClientDocument(clientId: string, content: Buffer): OAuthClient {
  const document = parsed(content)
  if (document.client_id !== clientId) throw wrong('its client_id is another one')
  const { token_endpoint_auth_method: method = 'none' } = document
  if (method !== 'none' || document.client_secret !== undefined)
    throw wrong('token_endpoint_auth_method is not none, and only public clients are supported')
  const uris = Array.isArray(document.redirect_uris) ? document.redirect_uris : []
  const redirectUris = uris.filter((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri))
  if (redirectUris.length === 0)
    throw wrong('none of its redirect_uris is https, or http on localhost, 127.0.0.1 or [::1]')
  return { name: nameOf(document.client_name), redirectUris: [...new Set(redirectUris)] }
}

function parsed(content: Buffer): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Said below.
  }
  throw wrong('it is not a JSON object')
}
