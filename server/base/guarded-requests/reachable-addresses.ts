import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { contains, parseAddress, parseAddressRange } from '../addresses/address-range.ts'
import { specialRanges4, specialRanges6 } from '../addresses/special-ranges.ts'

const special = [...specialRanges4, ...specialRanges6].flatMap(({ range }) => parseAddressRange(range) ?? [])

/** Whether the service may connect to an address that somebody else chose. */
export type Reachable = (address: string) => boolean

/**
 * The rule of sandboxes: public addresses, without those of this host. The operator may open `inner` ranges. Text that is not an
 * address, or has a zone, is refused.
 */
export function reachableBy(inner: readonly string[] = []): Reachable {
  const opened = inner.flatMap((range) => parseAddressRange(range) ?? [])
  return (address) => {
    const parsed = parseAddress(address)
    if (!parsed) return false
    if (opened.some((range) => contains(range, parsed))) return true
    return !special.some((range) => contains(range, parsed)) && !ownAddresses().has(address)
  }
}

const ownAddresses = (): Set<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []))

/** All addresses of a name; empty where it has none. */
export type Resolve = (name: string) => Promise<string[]>

const lookupMs = 3000

/** Asks DNS servers alone, without the host's own files, and without a thread that slow answers would hold. */
export const resolveName: Resolve = async (name) => {
  if (isIP(name)) return [name]
  const resolver = new Resolver({ timeout: lookupMs, tries: 1 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
