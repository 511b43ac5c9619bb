import { isIP } from 'node:net'
import { contains, parseAddress, parseAddressRange } from '../../server/base/addresses/address-range.ts'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'
import { sleep } from '../../server/base/clock.ts'
import { lookUpHost } from '../network/host-lookup.ts'

/** Ranges of internal networks, in which a mirror may be. */
const innerRanges = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
/** Metadata services of clouds in these ranges. */
const metadata = ['100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']

const lookupMs = 5000

const isIn = (address: string, ranges: readonly string[]): boolean => {
  const one = parseAddress(address)
  return ranges.some((text) => {
    const range = parseAddressRange(text)
    return one !== undefined && range !== undefined && contains(range, one)
  })
}

const special = [...specialRanges4, ...specialRanges6].map(({ range }) => range)

export const isPublic = (address: string): boolean => !isIn(address, special)

/** Whether a mirror may be at this address: loopback, link-local and metadata addresses are never reached. */
export const isUsable = (address: string, inner: boolean): boolean =>
  isPublic(address) || (inner && isIn(address, innerRanges) && !metadata.includes(address))

/** The host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Current addresses of the host; empty if it has none, or its resolver does not answer in five seconds. */
export async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const late = sleep(lookupMs).then(() => [])
  return (await Promise.race([lookUpHost(host), late])).map(({ address }) => address)
}
