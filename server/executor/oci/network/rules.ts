import { type SpecialRange, specialRanges4, specialRanges6 } from '../../../base/special-ranges.ts'
import { type AllowList, outermost } from '../../allow-list.ts'
import { type RefusalReason, refusalReasons } from '../../port.ts'
import { gateway4, linkAddresses } from './addresses.ts'

/** A refused packet carries its reason's place in the list, from 1. */
const markOf = (reason: RefusalReason) => refusalReasons.indexOf(reason) + 1

/** Connections of one sandbox that are followed at once, so that none takes the table of all. */
const maxConnections = 1024
/** Sandboxes whose connections and refusals are told apart at once. */
const maxSources = 16_384
/** Refused packets of one sandbox that are told of; beyond, they are only refused. */
const noted = '50/second burst 200 packets'
/** Where they are told, and how much of each (native/notes.c). */
const refusalLog = 'log group 1 snaplen 64 queue-threshold 1'

/**
 * Datagrams to the resolver of one sandbox, and connections to it. What is beyond is dropped before the resolver's buffer,
 * which holds so many of every sandbox (native/resolver.c), and before the kernel follows it.
 */
const datagramsToResolver = '500/second burst 500 packets'
const streamsToResolver = '20/second burst 40 packets'
/** Of one datagram, with the header of UDP: what the resolver reads of it. */
const questionBytes = 520

/** Addresses that sandboxes with an allow list may reach at once (native/lists.c has the bound of each). */
const maxGranted = 1_048_576
/** How long after its answer a name's address can be reached anew. */
const grantSeconds = 600
/** The resolver's port to open addresses from (native/lists.c). */
const grantPort = 1

/** The router's end of the uplink. */
export const routerUplink = 'up'
/** Devices of the sandboxes in the router's namespace (native/links.c). */
const links = '"r*"'
export const routerTable = 'sandbox_jobs'

const elements = (values: readonly string[]) =>
  values.length === 0 ? '' : `elements = { ${values.join(', ')} }; `

/** Replaces a table in one transaction: there is no moment without rules. */
const replaced = (table: string, body: string) => `table inet ${table}
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
  set noted${number} { type ${type}; size ${maxSources}; flags dynamic, timeout; timeout 1h; }
  map list${number} { type ${type} : mark; }
  set granted${number} { type mark . ${type}; size ${maxGranted}; flags dynamic, timeout; timeout ${grantSeconds}s; }
  set ranges${number} { type mark . ${type}; flags interval; }
  set pulls${number} { type ${type}; }
  set registry${number} { type ${type} . inet_service; }
  chain destination${number} {
    oifname "${routerUplink}" ${ip} saddr @pulls${number} ${ip} daddr . tcp dport @registry${number} accept
    ${ip} daddr @host${number} meta mark set ${markOf('host_address')} goto refuse
    ${ip} daddr @special${number} meta mark set ${markOf('not_public_address')} goto refuse
    meta mark set ${ip} saddr map @list${number}
    meta mark != 0 meta mark . ${ip} daddr != @granted${number} meta mark . ${ip} daddr != @ranges${number} meta mark set ${markOf('not_in_allow_list')} goto refuse
    add @connections${number} { ${ip} saddr ct count over ${maxConnections} } meta mark set ${markOf('too_many_connections')} goto refuse
  }
  chain note${number} {
    add @noted${number} { ${ip} saddr limit rate ${noted} } ${refusalLog}
  }
  chain grant${number} {
    meta mark set udp dport map @listed update @granted${number} { meta mark . ${ip} daddr }
  }`
}

/**
 * The rules between sandboxes and everything else, as text for nft. They are in the router's namespace, on the far
 * side of every link, where neither a sandbox nor a change of the host's own rules reaches. What no rule lets through
 * is dropped; what is refused is told to the sandbox at once, so that its programs do not wait.
 */
export function routerRules(host: HostAddresses): string {
  return replaced(
    routerTable,
    `  map listed { type inet_service : mark; }
${familyRules(4, host.ip4, specialRanges4)}
${familyRules(6, host.ip6, specialRanges6)}
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
    iifname "${routerUplink}" oifname ${links} ct state established,related accept
    iifname != ${links} drop
    fib saddr . iif oif missing drop
    oifname ${links} meta mark set ${markOf('other_sandbox')} goto refuse
    ct state established,related accept
    meta l4proto != { tcp, udp } meta mark set ${markOf('unsupported_protocol')} goto refuse
    th dport 53 meta mark set ${markOf('foreign_resolver')} goto refuse
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
    ip daddr ${gateway4} meta l4proto { tcp, udp } th dport 53 accept
    meta mark set ${markOf('host_address')} goto refuse
  }
  chain output {
    type filter hook output priority filter; policy drop;
    udp sport ${grantPort} meta nfproto ipv4 jump grant4
    udp sport ${grantPort} meta nfproto ipv6 jump grant6
    udp sport ${grantPort} drop
    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    icmp type { destination-unreachable, time-exceeded } accept
    icmpv6 type { destination-unreachable, packet-too-big, time-exceeded } accept
    tcp flags rst accept
  }
  chain source {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${routerUplink}" masquerade
  }`,
  )
}

/** A link that is held to a list, by a number that no other link has had for long. */
export interface ListedLink {
  index: number
  mark: number
  allow: AllowList
}

/** Commands that put a link's list into the router's rules, or take it out. What was granted to it ends by its time. */
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

/** Where the operator's own registry is, which may be an inner address. */
export interface RegistryEndpoints {
  ip4: string[]
  ip6: string[]
  port: number
}

/** Commands that let the links of pulls through to the registry, and to it alone of what is not public. */
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

/** Commands that end that for a link. */
export function endPullRules(index: number): string {
  const { ip4, ip6 } = linkAddresses(index)
  return `delete element inet ${routerTable} pulls4 { ${ip4} }\ndelete element inet ${routerTable} pulls6 { ${ip6} }\n`
}

/**
 * The host's own table: nothing that comes out of a router reaches the host itself, under any address that it has or
 * will have, nor what it hands on under one of its addresses; and nobody reaches a router but with answers.
 */
export function hostRules(
  table: string,
  { uplink, router4, router6 }: { uplink: string; router4: string; router6: string },
): string {
  return replaced(
    table,
    `  chain input {
    type filter hook input priority filter - 10; policy accept;
    iifname "${uplink}" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
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
  }`,
  )
}
