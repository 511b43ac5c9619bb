import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { type AddressRange, contains, parseAddress } from '../base/address-range.ts'

/** More hops than any path has; what stands before them is not read. */
const hopsMax = 16

export interface Sender {
  /** The other end of the connection. */
  peer: string
  headers: IncomingHttpHeaders
}

/**
 * The address that a request came from. Only what a trusted proxy says is believed: from the right, each address was
 * written by the one behind it, so the first that is no trusted proxy is the client, and what stands before it may be
 * the client's invention. Where a proxy passes on one header and writes the other, they disagree, and nothing is
 * believed: the client is the proxy.
 */
export function clientAddress({ peer, headers }: Sender, trusted: readonly AddressRange[]): string {
  const connected = plainAddress(peer)
  if (!isTrusted(connected, trusted)) return connected
  const written = [hopsOf(headers['x-forwarded-for']), hopsOf(headers.forwarded).map(forOf)]
  const claims = written
    .filter((hops) => hops.length > 0)
    .map((hops) => clientAmong(hops, connected, trusted))
  const [claim = connected] = claims
  return claims.every((one) => one === claim) ? claim : connected
}

function clientAmong(hops: string[], proxy: string, trusted: readonly AddressRange[]): string {
  let nearest = proxy
  for (const hop of hops.slice(-hopsMax).reverse()) {
    const address = plainAddress(hop)
    if (isIP(address) === 0) return nearest
    nearest = address
    if (!isTrusted(nearest, trusted)) return nearest
  }
  return nearest
}

const hopsOf = (header: string | string[] | undefined): string[] =>
  header === undefined || header.length === 0 ? [] : [header].flat().join(',').split(',')

/** `for=192.0.2.60;proto=https`, `For="[2001:db8::1]:4711"` */
const forOf = (element: string): string => /(?:^|;)\s*for="?([^";]*)/i.exec(element.trim())?.[1] ?? ''

/** Without port, brackets and the form of IPv4 that a socket of both families has. */
function plainAddress(text: string): string {
  const trimmed = text.trim().toLowerCase()
  const [, bracketed] = /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(trimmed) ?? []
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(trimmed) ?? []
  return (bracketed ?? withPort ?? trimmed).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')
}

function isTrusted(address: string, trusted: readonly AddressRange[]): boolean {
  const range = parseAddress(address)
  return range !== undefined && trusted.some((proxies) => contains(proxies, range))
}
