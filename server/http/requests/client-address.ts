import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { type AddressRange, contains, parseAddress } from '../../base/addresses/address-range.ts'

/** More hops than any real path has. Earlier entries are not read. */
const hopsMax = 16

export interface Sender {
  /** The other end of the connection. */
  peer: string
  headers: IncomingHttpHeaders
}

/**
 * The address that a request came from. Only entries written by a trusted proxy count. Read from the right, each
 * address was appended by the hop after it, so the first one that is not a trusted proxy is the client; everything to
 * its left may be invented by the client. If a proxy forwards one header and writes the other, the two disagree. Then
 * neither is trusted and the proxy counts as the client.
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

/** Whether an address, in the form of `plainAddress`, is of this machine itself. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (isIPv4(address) && address.startsWith('127.'))

/** Removes the port, the brackets and the IPv4-mapped IPv6 prefix that a dual-stack socket reports. */
export function plainAddress(text: string): string {
  const trimmed = text.trim().toLowerCase()
  const [, bracketed] = /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(trimmed) ?? []
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(trimmed) ?? []
  return (bracketed ?? withPort ?? trimmed).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')
}

function isTrusted(address: string, trusted: readonly AddressRange[]): boolean {
  const range = parseAddress(address)
  return range !== undefined && trusted.some((proxies) => contains(proxies, range))
}
