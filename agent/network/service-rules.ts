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

/** Sets of the same links, whose elements count the packets to the service and from it. */
export const serviceCounters = { sent: 'sent_to_service', received: 'received_from_service' } as const

export const callerSets = `  set callers { type ipv4_addr; }
  set ${serviceCounters.sent} { type ipv4_addr; counter; }
  set ${serviceCounters.received} { type ipv4_addr; counter; }
  set calling { type ipv4_addr; size ${maxCallers}; flags dynamic; }`

/**
 * In the router's chain `forward`, where the source of a packet is not forged any more. Only what the router itself led to the
 * service counts, so no other traffic of a sandbox does.
 */
export const countSent = (uplink: string, { uplink4, port }: ServiceRoute): string =>
  `oifname "${uplink}" ct status dnat ip daddr ${uplink4} tcp dport ${port} ip saddr @${serviceCounters.sent}`

/** In the router's chain `forward`, before answers are accepted. */
export const countReceived = (uplink: string, { uplink4, port }: ServiceRoute): string =>
  `iifname "${uplink}" ct status dnat ct direction reply ip saddr ${uplink4} tcp sport ${port} ip daddr @${serviceCounters.received}`

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
export function callerRules(verb: 'add' | 'delete', links: readonly number[]): string {
  const own = links.map((index) => linkAddresses(index).ip4).join(', ')
  return ['callers', ...Object.values(serviceCounters)]
    .map((set) => `${verb} element inet sandbox_jobs ${set} { ${own} }\n`)
    .join('')
}
