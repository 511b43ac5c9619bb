import { isLoopbackAddress, isSecureAddress } from '../../base/addresses/secure-address.ts'

export const redirectUriMaxLength = 512

/** As sent: no character that a parser would drop or rewrite. */
const plain = /^[\x21-\x7e]+$/

/**
 * Whether a client may have its answers sent there: `https`, or `http` on the person's own machine (RFC 8252, section 7.3,
 * and the MCP specification). No fragment and no user name, which could disguise the host.
 */
export function isRedirectUri(text: string): boolean {
  if (!plain.test(text) || text.length > redirectUriMaxLength) return false
  const url = URL.parse(text)
  if (!url || text.includes('#') || text.includes('\\') || url.username !== '' || url.password !== '')
    return false
  return isSecureAddress(url)
}

/** Exactly a registered address; on the person's own machine at any port, which the client may take at its start. */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  isRedirectUri(uri) && registered.some((each) => each === uri || withoutPort(each) === withoutPort(uri))

/** The same text for all ports of a loopback address; for other addresses the address itself. */
function withoutPort(text: string): string {
  const url = URL.parse(text)
  if (!url || !isLoopbackAddress(url)) return text
  url.port = ''
  return url.href
}

export const isOnThisComputer = (uri: string): boolean => isLoopbackAddress(new URL(uri))

/** Where an address leads, for people. */
export const destinationOf = (uri: string): string =>
  isOnThisComputer(uri) ? 'a program on this computer' : new URL(uri).host

/** The address as a source of a Content-Security-Policy, which knows no IPv6 addresses. */
export function policySourceOf(uri: string): string {
  const { origin, hostname, protocol } = new URL(uri)
  return hostname.startsWith('[') ? protocol : origin
}
