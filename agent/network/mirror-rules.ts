import { isIPv4 } from 'node:net'
import { mirrorAddress, mirrorPorts, mirrorProxyUid } from '../mirrors/mirror-address.ts'
import { linkAddresses } from './addresses.ts'

/*
 * The rules for package mirrors: the links of build steps reach the proxy, and the proxy reaches the declared mirrors. A link
 * reaches no mirror itself.
 */

/** Maximum connections of one sandbox to the proxy. */
const maxConnections = 256

/** Sets of the router's table. */
export const mirrorSets = (maxSources: number): string => `
  set mirrored { type ipv4_addr; }
  set mirroring { type ipv4_addr; size ${maxSources}; flags dynamic; }
  set mirrors4 { type ipv4_addr . inet_service; }
  set mirrors6 { type ipv6_addr . inet_service; }`

const toProxy = `ip saddr @mirrored ip daddr ${mirrorAddress} tcp dport ${mirrorPorts}`

/** Rules of the chain for packets to the router itself, after the check of their source. */
export const mirrorInput = `
    ${toProxy} add @mirroring { ip saddr ct count over ${maxConnections} } drop
    ${toProxy} accept`

/** Rules of the chain for packets from the router itself. */
export const mirrorOutput = (uplink: string): string => `
    oifname "${uplink}" meta skuid ${mirrorProxyUid} ip daddr . tcp dport @mirrors4 accept
    oifname "${uplink}" meta skuid ${mirrorProxyUid} ip6 daddr . tcp dport @mirrors6 accept`

const table = 'inet sandbox_jobs'
const own = (links: readonly number[]) => links.map((index) => linkAddresses(index).ip4).join(', ')

/** Commands that open the proxy to these links. */
export const mirroredRules = (links: readonly number[]): string =>
  `add element ${table} mirrored { ${own(links)} }\n`

/** Commands that withdraw this from a link. */
export const endMirroredRules = (index: number): string =>
  `delete element ${table} mirrored { ${own([index])} }\n`

/** Commands that replace the endpoints that the proxy may reach. */
export function mirrorEndpointRules(endpoints: readonly { address: string; port: number }[]): string {
  const sets = [4, 6].map((number) => {
    const all = endpoints.filter(({ address }) => isIPv4(address) === (number === 4))
    const elements = [...new Set(all.map(({ address, port }) => `${address} . ${port}`))]
    const add = `add element ${table} mirrors${number} { ${elements.join(', ')} }\n`
    return `flush set ${table} mirrors${number}\n${elements.length > 0 ? add : ''}`
  })
  return sets.join('')
}
