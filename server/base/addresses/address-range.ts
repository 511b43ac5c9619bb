import { isIPv4, isIPv6 } from 'node:net'

/** A CIDR block: addresses that share their first bits, such as `8.8.8.0/24` or `2001:4860::/32`. */
export interface AddressRange {
  family: 4 | 6
  first: bigint
  last: bigint
}

/** Returns undefined for text that is not a range, or that has bits set beyond its prefix. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address = '', bits = ''] = /^([0-9a-f.:]{2,45})\/(\d{1,3})$/i.exec(text) ?? []
  const family = isIPv4(address) ? 4 : isIPv6(address) ? 6 : undefined
  if (family === undefined) return undefined
  const width = family === 4 ? 32 : 128
  if (Number(bits) > width) return undefined
  const first = family === 4 ? number4(address) : number6(address)
  const size = 1n << BigInt(width - Number(bits))
  return first % size === 0n ? { family, first, last: first + size - 1n } : undefined
}

/** The range of exactly one address; undefined for text that is not an address. */
export const parseAddress = (text: string): AddressRange | undefined =>
  parseAddressRange(`${text}/${isIPv4(text) ? 32 : 128}`)

/** CIDR blocks never overlap partly: if two have an address in common, one contains the other. */
export const overlap = (one: AddressRange, other: AddressRange): boolean =>
  one.family === other.family && one.first <= other.last && other.first <= one.last

/** True when every address of `inner` is in `outer`. */
export const contains = (outer: AddressRange, inner: AddressRange): boolean =>
  outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last

const number4 = (address: string): bigint =>
  address.split('.').reduce((number, part) => number * 256n + BigInt(part), 0n)

/** `::` replaces the missing groups of zeros; the last 32 bits may be written as an IPv4 address. */
function number6(address: string): bigint {
  const plain = address.replace(/[\d.]+\.[\d.]+$/, (ip4) => {
    const low = number4(ip4)
    return `${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = 8 - groups(head).length - groups(tail ?? '').length
  const all = [
    ...groups(head),
    ...Array<string>(tail === undefined ? 0 : missing).fill('0'),
    ...groups(tail ?? ''),
  ]
  return all.reduce((number, group) => number * 65_536n + BigInt(`0x${group}`), 0n)
}
