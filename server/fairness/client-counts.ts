import { isIPv6 } from 'node:net'
import { networkOf } from '../base/addresses/network-of.ts'
import { Counts } from './counts.ts'

/**
 * Networks of IPv6 whose connections are counted together, and how many times the bound of one address each may have.
 * A provider gives a customer a /64, a /56 or a /48, so one person has addresses in up to 65536 networks of 64 bits.
 */
const networks = [
  { bits: 64, times: 1 },
  { bits: 56, times: 2 },
  { bits: 48, times: 4 },
] as const

/** Counts what clients hold at once, by address and by network. */
export class ClientCounts {
  readonly #perAddress: number
  readonly #counts = new Counts()

  constructor(perAddress: number) {
    this.#perAddress = perAddress
  }

  /** Takes a place; returns the function that gives it back, to call once, or undefined when the client has none left. */
  take(address: string): (() => void) | undefined {
    const kinds = isIPv6(address) ? networks : networks.slice(0, 1)
    const bounds = kinds.map(({ bits, times }) => ({
      key: `${networkOf(address, bits)}/${bits}`,
      max: times * this.#perAddress,
    }))
    if (bounds.some(({ key, max }) => this.#counts.of(key) >= max)) return undefined
    for (const { key } of bounds) this.#counts.add(key, 1)
    return () => {
      for (const { key } of bounds) this.#counts.add(key, -1)
    }
  }
}
