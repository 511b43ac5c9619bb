import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { signInMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { isSecureAddress } from '../../base/addresses/secure-address.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { tokenCookie } from './token-cookie.ts'

/*
 * Sign-ins of browsers, by a cookie. A browser adds a cookie to requests that other pages make, so a cookie alone proves nothing: a
 * request counts as signed in only with the headers that no page of another origin can send.
 */

/** A request, as far as it proves who makes it. */
export interface Presented {
  method: string
  headers: IncomingHttpHeaders
  /** The answer is an event stream. A page that is left open follows one for days, so it is no use of a sign-in by its person. */
  isFollowing?: boolean
}

export const signInCookie = tokenCookie('__Host-sandbox', signInMaxSeconds)

/** SHA-256: the token is random, so nothing is gained by trying. */
export const hashOfSignIn = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The token of the cookie, unless the request has a token or a key, which alone decide then. */
export function tokenOfSignIn(headers: IncomingHttpHeaders): string | undefined {
  if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) return undefined
  return signInCookie.tokenOf(headers)
}

const readingMethods = new Set(['GET', 'HEAD'])

/**
 * Whether a page of the console made the request: `Sec-Fetch-Site`, which pages cannot set, says so. A request that may change
 * something also has the origin of the service, and a header that pages of other origins may not send without the answer to a preflight
 * request, which never allows it.
 */
export const isOfConsole = ({ method, headers }: Presented, origin: string): boolean =>
  headers['sec-fetch-site'] === 'same-origin' &&
  (readingMethods.has(method) || (headers.origin === origin && headers['x-sandbox-console'] === '1'))

/** Throws `console_needs_https` or `console_wrong_address` unless a page of the console made the request. */
export function requireConsole(request: Presented, baseUrl: string): void {
  const url = new URL(baseUrl)
  if (!isSecureAddress(url)) throw new CodedError('console_needs_https')
  if (!isOfConsole(request, url.origin))
    throw new CodedError('console_wrong_address', { console_url: `${baseUrl}/console/` })
}
