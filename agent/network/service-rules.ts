import { serviceAddress } from '../port/service-address.ts'
import { gateway4, linkAddresses } from './addresses.ts'

/*
 * The way of a permitted link to the service, which listens on the host:
 *
 *   sandbox -> serviceAddress :router: -> host's end of the uplink :host: -> the address where the service listens
 *
 * The router changes the destination for the links in `callers` alone, and forwards to the host only what it changed so. The
 * host accepts that one port from a router, and nothing else.
 */

/** Where the service listens on this machine. */
export interface ServiceEndpoint {
  /** IPv4. */
  address: string
  port: number
}

/** The same, with the address by which the router reaches the host. */
export interface ServiceRoute extends ServiceEndpoint {
  uplink4: string
}

/** Connections of one sandbox to the service at a time, so that none occupies those of others. */
const connectionsOfCaller = 8
const maxCallers = 16_384

export const callerSets = `  set callers { type ipv4_addr; }
  set calling { type ipv4_addr; size ${maxCallers}; flags dynamic; }`

/** In the router's chain `forward`. */
export const toService = (uplink: string, { uplink4, port }: ServiceRoute): string =>
  `oifname "${uplink}" ip saddr @callers ct status dnat ip daddr ${uplink4} tcp dport ${port} goto service`

export const routerServiceChains = (
  links: string,
  { uplink4, port }: ServiceRoute,
  tooMany: number,
): string => `
  chain service {
    add @calling { ip saddr ct count over ${connectionsOfCaller} } meta mark set ${tooMany} goto refuse
    accept
  }
  chain to_service {
    type nat hook prerouting priority dstnat; policy accept;
    iifname ${links} ip saddr @callers ip daddr ${gateway4} tcp dport ${serviceAddress.port} dnat ip to ${uplink4}:${port}
  }`

/** In the host's chain `input`. */
export const acceptService = (uplink: string, { address, port }: ServiceRoute): string =>
  `iifname "${uplink}" ct status dnat ip daddr ${address} tcp dport ${port} accept`

export const hostServiceChain = (uplink: string, { uplink4, address, port }: ServiceRoute): string => `
  chain to_service {
    type nat hook prerouting priority dstnat - 10; policy accept;
    iifname "${uplink}" ip daddr ${uplink4} tcp dport ${port} dnat ip to ${address}:${port}
  }`

/** Commands that permit links to reach the service, or end that. */
export const callerRules = (verb: 'add' | 'delete', links: readonly number[]): string =>
  `${verb} element inet sandbox_jobs callers { ${links.map((index) => linkAddresses(index).ip4).join(', ')} }\n`
