import { createHash } from 'node:crypto'
import { serviceAddress } from '../port/service-address.ts'

/**
 * The addresses of sandboxes' links. Only one router and its sandboxes see them, so every agent uses the same; only the
 * address pair between a router and its host differs between agents.
 */
export const linkBase4 = '198.18.0.0'
/** The router's address on the side of the sandboxes, where the resolver listens and the service is reached. */
export const gateway4: string = serviceAddress.ip4
export const linkPrefix6 = 'fd5b:6a6f:6273:1::'

/** An address is reused only after this many links. */
export const linkIndexes = 65_000
/** Index 1 is the router's. */
export const firstLinkIndex = 2

export interface LinkAddresses {
  ip4: string
  ip6: string
}

/** Addresses of link `index`, as native/links/links.c assigns them. */
export function linkAddresses(index: number): LinkAddresses {
  return {
    ip4: `198.18.${index >> 8}.${index & 0xff}`,
    ip6: `${linkPrefix6}${index.toString(16)}`,
  }
}

/** Names for the agent of one data folder, so that agents on one machine do not collide. */
export interface NetworkNames {
  /** Path of the router's network namespace, alone in its folder. */
  namespace: string
  /** The host's end of the pair between host and router. */
  uplink: string
  /** The host's table. */
  table: string
}

/** Below /run: the namespaces end with the machine. */
const routersFolder = '/run/sandbox-jobs-network'

export function networkNames(dataDir: string): NetworkNames {
  const own = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  const namespace = `${routersFolder}/${own}/router`
  return { namespace, uplink: `sbj-${own}`, table: `sandbox_jobs_${own}` }
}

export interface UplinkAddresses {
  host4: string
  router4: string
  host6: string
  router6: string
}

const pairs = 16_384

/** A pair of uplink addresses that contains none of `taken`; the search starts at a position derived from `seed`. */
export function uplinkAddresses(seed: string, taken: readonly string[]): UplinkAddresses {
  const first = createHash('sha256').update(seed).digest().readUInt32BE(0) % pairs
  for (let tried = 0; tried < pairs; tried += 1) {
    const number = (first + tried) % pairs
    const pair = uplinkPair(number)
    if (!taken.includes(pair.host4)) return pair
  }
  throw new Error('every address pair of uplinks is in use')
}

function uplinkPair(number: number): UplinkAddresses {
  const at = number * 4
  const ip4 = (host: number) => `198.19.${at >> 8}.${(at & 0xff) + host}`
  const ip6 = (host: number) => `fd5b:6a6f:6273:2::${number.toString(16)}:${host}`
  return { host4: ip4(1), router4: ip4(2), host6: ip6(1), router6: ip6(2) }
}
