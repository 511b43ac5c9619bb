import {
  type SpecialRange,
  specialRanges4,
  specialRanges6,
} from '../../server/base/addresses/special-ranges.ts'
import { type AllowList, outermost } from '../port/allow-list.ts'
import { type RefusalReason, refusalReasons } from '../port/network-refusals.ts'
import { gateway4, linkAddresses } from './addresses.ts'
import { mirrorInput, mirrorOutput, mirrorSets } from './mirror-rules.ts'
import {
  acceptService,
  callerSets,
  countReceived,
  countSent,
  hostServiceChain,
  routerServiceChains,
  type ServiceRoute,
  toService,
} from './service-rules.ts'

/** The mark of a refused packet: the position of its reason in the list, from 1. */
const markOf = (reason: RefusalReason) => refusalReasons.indexOf(reason) + 1

/** The mark of a new connection of a sandbox whose reach is recorded (native/resolver/resolver.h). */
const connectedMark = refusalReasons.length + 1

/** Maximum tracked connections of one sandbox, so that none fills the shared table. */
const maxConnections = 1024
/** Maximum number of sandboxes with separate counters. */
const maxSources = 16_384
/** Rate at which refused packets of one sandbox are logged; beyond it they are only refused. */
const refusalRate = '50/second burst 200 packets'
/** How long after its last refused packet a sandbox has a place among `maxSources`: many short runs must not take those of others. */
const refusalSeconds = 60
/** Rate at which a sandbox whose reach is recorded may reach new destinations. Those beyond it are refused, not left out. */
const destinationRate = '50/second burst 200 packets'
/** Maximum recorded destinations of all such sandboxes, and how long each is remembered. */
const maxDestinations = 262_144
const destinationSeconds = 600
/** Log group of refused packets, and bytes of each (native/resolver/refusals.c reads them). */
const refusalLog = 'log group 1 snaplen 64 queue-threshold 1'

/**
 * Rates of datagrams and connections from one sandbox to the resolver. Excess is dropped before the resolver's
 * buffer, which holds this many of every sandbox (native/resolver/resolver.c), and before connection tracking.
 */
const datagramsToResolver = '500/second burst 500 packets'
const streamsToResolver = '20/second burst 40 packets'
/** Maximum size of a question with its UDP header; the resolver reads no more. */
const questionBytes = 520

/** Maximum granted addresses of all sandboxes with an allow list (native/resolver/lists.c has the limit of each). */
const maxGranted = 1_048_576
/** How long after a DNS answer new connections to its addresses are permitted. */
const grantSeconds = 600
/** Source port of the resolver's grant datagrams (native/resolver/lists.c). */
const grantPort = 1

/** The router's end of the uplink. */
export const routerUplink = 'up'
/** Devices of the sandboxes in the router's namespace (native/links/links.c). */
const links = '"r*"'
export const routerTable = 'sandbox_jobs'

const elements = (values: readonly string[]) =>
  values.length === 0 ? '' : `elements = { ${values.join(', ')} }; `

/** Replaces a table in one transaction, so there is no moment without rules. */
const replaceTable = (table: string, body: string) => `table inet ${table}
delete table inet ${table}
table inet ${table} {
${body}
}
`

export interface HostAddresses {
  ip4: readonly string[]
  ip6: readonly string[]
}

/** Sets and chains of the router for one family of addresses. */
function familyRules(number: 4 | 6, host: readonly string[], ranges: readonly SpecialRange[]): string {
  const [ip, type] = number === 4 ? ['ip', 'ipv4_addr'] : ['ip6', 'ipv6_addr']
  return `
  set special${number} { type ${type}; flags interval; ${elements(ranges.map(({ range }) => range))}}
  set host${number} { type ${type}; ${elements(host)}}
  set connections${number} { type ${type}; size ${maxSources}; flags dynamic; }
  set noted${number} { type ${type}; size ${maxSources}; flags dynamic, timeout; timeout ${refusalSeconds}s; }
  map list${number} { type ${type} : mark; }
  set granted${number} { type mark . ${type}; size ${maxGranted}; flags dynamic, timeout; timeout ${grantSeconds}s; }
  set ranges${number} { type mark . ${type}; flags interval; }
  set pulls${number} { type ${type}; }
  set registry${number} { type ${type} . inet_service; }
  set recorded${number} { type ${type}; }
  set reaching${number} { type ${type}; size ${maxSources}; flags dynamic, timeout; timeout 1m; }
  set reached${number} { type ${type} . ${type} . inet_proto . inet_service; size ${maxDestinations}; flags dynamic, timeout; timeout ${destinationSeconds}s; }
  chain record${number} {
    add @reaching${number} { ${ip} saddr limit rate ${destinationRate} } add @reached${number} { ${ip} saddr . ${ip} daddr . meta l4proto . th dport } meta mark set ${connectedMark} ${refusalLog} return
    meta mark set ${markOf('too_many_connections')} goto refuse
  }
  chain destination${number} {
    oifname "${routerUplink}" ${ip} saddr @pulls${number} ${ip} daddr . tcp dport @registry${number} accept
    ${ip} daddr @host${number} meta mark set ${markOf('host_address')} goto refuse
    ${ip} daddr @special${number} meta mark set ${markOf('not_public_address')} goto refuse
    meta mark set ${ip} saddr map @list${number}
    meta mark != 0 meta mark . ${ip} daddr != @granted${number} meta mark . ${ip} daddr != @ranges${number} meta mark set ${markOf('not_in_allow_list')} goto refuse
    add @connections${number} { ${ip} saddr ct count over ${maxConnections} } meta mark set ${markOf('too_many_connections')} goto refuse
    ${ip} saddr @recorded${number} ${ip} saddr . ${ip} daddr . meta l4proto . th dport != @reached${number} goto record${number}
  }
  chain note${number} {
    update @noted${number} { ${ip} saddr limit rate ${refusalRate} } ${refusalLog}
  }
  chain grant${number} {
    meta mark set udp dport map @listed update @granted${number} { meta mark . ${ip} daddr }
  }`
}

/**
 * The rules between sandboxes and everything else, as text for nft. They are in the router's namespace, on the far side of
 * every link, out of reach of sandboxes and of changes to the host's own rules. Packets that match no rule are dropped;
 * refused packets get an immediate reject, so that programs do not wait.
 */
export function routerRules(host: HostAddresses, service?: ServiceRoute): string {
  return replaceTable(
    routerTable,
    `  map listed { type inet_service : mark; }
${familyRules(4, host.ip4, specialRanges4)}
${familyRules(6, host.ip6, specialRanges6)}${mirrorSets(maxSources)}
${callerSets}
  chain refuse {
    meta nfproto ipv4 jump note4
    meta nfproto ipv6 jump note6
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  set asking { type iface_index; size ${maxSources}; flags dynamic, timeout; timeout 1m; }
  set opening { type iface_index; size ${maxSources}; flags dynamic, timeout; timeout 1m; }
  chain ask {
    meta l4proto udp udp length <= ${questionBytes} update @asking { iif limit rate ${datagramsToResolver} } accept
    tcp flags & (syn | ack) == syn update @opening { iif limit rate ${streamsToResolver} } accept
    tcp flags & (syn | ack) != syn accept
    drop
  }
  chain questions {
    type filter hook prerouting priority raw; policy accept;
    iifname ${links} ip daddr ${gateway4} meta l4proto { tcp, udp } th dport 53 goto ask
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state invalid drop
    ${service ? countReceived(routerUplink, service) : ''}
    iifname "${routerUplink}" oifname ${links} ct state established,related accept
    iifname != ${links} drop
    fib saddr . iif oif missing drop
    ${service ? countSent(routerUplink, service) : ''}
    oifname ${links} meta mark set ${markOf('other_sandbox')} goto refuse
    ct state established,related accept
    meta l4proto != { tcp, udp } meta mark set ${markOf('unsupported_protocol')} goto refuse
    th dport 53 meta mark set ${markOf('foreign_resolver')} goto refuse
    ${service ? toService(routerUplink, service) : ''}
    meta nfproto ipv4 jump destination4
    meta nfproto ipv6 jump destination6
    oifname "${routerUplink}" accept
  }
  chain clamp {
    type filter hook forward priority mangle; policy accept;
    tcp flags syn tcp option maxseg size set rt mtu
  }
  chain input {
    type filter hook input priority filter; policy drop;
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
    iifname "${routerUplink}" ct state established,related accept
    iifname != ${links} drop
    fib saddr . iif oif missing drop
    ct state established,related accept
    ip daddr ${gateway4} meta l4proto { tcp, udp } th dport 53 add @connections4 { ip saddr ct count over ${maxConnections} } drop
    ip daddr ${gateway4} meta l4proto { tcp, udp } th dport 53 accept${mirrorInput}
    meta mark set ${markOf('host_address')} goto refuse
  }
  chain output {
    type filter hook output priority filter; policy drop;
    udp sport ${grantPort} meta nfproto ipv4 jump grant4
    udp sport ${grantPort} meta nfproto ipv6 jump grant6
    udp sport ${grantPort} drop
    ct state established,related accept${mirrorOutput(routerUplink)}
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    icmp type { destination-unreachable, time-exceeded } accept
    icmpv6 type { destination-unreachable, packet-too-big, time-exceeded } accept
    tcp flags rst accept
  }
  chain source {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${routerUplink}" masquerade
  }${service ? routerServiceChains(links, service, markOf('too_many_connections')) : ''}`,
  )
}

/** A link with an allow list. `mark` was used by no other link recently. */
export interface ListedLink {
  index: number
  mark: number
  allow: AllowList
}

/** Commands that add a link's list to the router's rules, or delete it. Granted addresses expire by themselves. */
export function listRules(verb: 'add' | 'delete', { index, mark, allow }: ListedLink): string {
  const { ip4, ip6 } = linkAddresses(index)
  const isAdded = verb === 'add'
  const ranges = outermost(allow.ranges)
  const elements: [string, string[]][] = [
    ['listed', [isAdded ? `${index} : ${mark}` : `${index}`]],
    ['list4', [isAdded ? `${ip4} : ${mark}` : ip4]],
    ['list6', [isAdded ? `${ip6} : ${mark}` : ip6]],
    ...([4, 6] as const).map((number): [string, string[]] => [
      `ranges${number}`,
      ranges.filter(({ family }) => family === number).map(({ range }) => `${mark} . ${range}`),
    ]),
  ]
  return elements
    .filter(([, values]) => values.length > 0)
    .map(([set, values]) => `${verb} element inet ${routerTable} ${set} { ${values.join(', ')} }\n`)
    .join('')
}

/** Commands that record what these links reach, or end that. */
export function recordRules(verb: 'add' | 'delete', links: readonly number[]): string {
  const own = links.map(linkAddresses)
  return `${verb} element inet ${routerTable} recorded4 { ${own.map(({ ip4 }) => ip4).join(', ')} }
${verb} element inet ${routerTable} recorded6 { ${own.map(({ ip6 }) => ip6).join(', ')} }
`
}

/** Addresses of the operator's registry, which may be internal. */
export interface RegistryEndpoints {
  ip4: string[]
  ip6: string[]
  port: number
}

/** Commands that permit the links of pulls to reach the registry, and no other internal address. */
export function registryRules(links: readonly number[], { ip4, ip6, port }: RegistryEndpoints): string {
  const own = links.map(linkAddresses)
  const sets: [string, string[]][] = [
    ['registry4', ip4.map((address) => `${address} . ${port}`)],
    ['registry6', ip6.map((address) => `${address} . ${port}`)],
    ['pulls4', own.map((link) => link.ip4)],
    ['pulls6', own.map((link) => link.ip6)],
  ]
  const flush = ['registry4', 'registry6'].map((set) => `flush set inet ${routerTable} ${set}\n`)
  const add = sets
    .filter(([, values]) => values.length > 0)
    .map(([set, values]) => `add element inet ${routerTable} ${set} { ${values.join(', ')} }\n`)
  return [...flush, ...add].join('')
}

/** Commands that withdraw this permission from a link. */
export function endPullRules(index: number): string {
  const { ip4, ip6 } = linkAddresses(index)
  return `delete element inet ${routerTable} pulls4 { ${ip4} }\ndelete element inet ${routerTable} pulls6 { ${ip6} }\n`
}

/**
 * The host's table: packets from a router reach neither the host itself, at any present or future address, nor ports that it
 * forwards from one of its addresses, except the service that callers may reach; and only replies reach a router.
 */
export function hostRules(
  table: string,
  {
    uplink,
    router4,
    router6,
    service,
  }: { uplink: string; router4: string; router6: string; service?: ServiceRoute | undefined },
): string {
  return replaceTable(
    table,
    `  chain input {
    type filter hook input priority filter - 10; policy accept;
    iifname "${uplink}" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
    ${service ? acceptService(uplink, service) : ''}
    iifname "${uplink}" drop
  }
  chain forward {
    type filter hook forward priority filter - 10; policy accept;
    iifname "${uplink}" ct status dnat drop
    oifname "${uplink}" ct state != { established, related } drop
  }
  chain source {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${router4} masquerade
    ip6 saddr ${router6} masquerade
  }${service ? hostServiceChain(uplink, service) : ''}`,
  )
}
