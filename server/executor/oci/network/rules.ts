import { gateway4 } from './addresses.ts'
import { specialRanges4, specialRanges6 } from './special-ranges.ts'

/** Why a packet was refused; the packet's mark is the place in this list, from 1. */
const refusals = [
  'special_range',
  'host_address',
  'other_sandbox',
  'foreign_resolver',
  'protocol',
  'too_many_connections',
] as const
type Refusal = (typeof refusals)[number]

const markOf = (refusal: Refusal) => refusals.indexOf(refusal) + 1

/** Connections of one sandbox that are followed at once, so that none takes the table of all. */
const maxConnections = 1024
/** Sandboxes whose connections and refusals are told apart at once. */
const maxSources = 16_384
/** Bytes of refused packets that are noted for one sandbox; beyond, they are only refused. */
const noted = '64 kbytes'
/** How long a refusal stays to be read. */
const notedSeconds = 86_400

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

/**
 * The rules between sandboxes and everything else, as text for nft. They are in the router's namespace, on the far
 * side of every link, where neither a sandbox nor a change of the host's own rules reaches. What no rule lets through
 * is dropped; what is refused is told to the sandbox at once, so that its programs do not wait.
 */
export function routerRules(host: HostAddresses): string {
  const family = (ip: 'ip' | 'ip6', type: string, number: 4 | 6, ranges: readonly string[]) => `
  set special${number} { type ${type}; flags interval; ${elements(ranges)}}
  set host${number} { type ${type}; ${elements(number === 4 ? host.ip4 : host.ip6)}}
  set connections${number} { type ${type}; size ${maxSources}; flags dynamic; }
  set budget${number} { type ${type}; size ${maxSources}; flags dynamic, timeout; timeout ${notedSeconds}s; }
  set refused${number} { type ${type} . mark . inet_proto . ${type} . inet_service; size 65535; flags dynamic, timeout; timeout ${notedSeconds}s; counter; }
  chain destination${number} {
    ${ip} daddr @host${number} meta mark set ${markOf('host_address')} goto refuse
    ${ip} daddr @special${number} meta mark set ${markOf('special_range')} goto refuse
    add @connections${number} { ${ip} saddr ct count over ${maxConnections} } meta mark set ${markOf('too_many_connections')} goto refuse
  }
  chain note${number} {
    add @budget${number} { ${ip} saddr quota until ${noted} } add @refused${number} { ${ip} saddr . meta mark . meta l4proto . ${ip} daddr . th dport }
  }`
  return replaced(
    routerTable,
    `${family(
      'ip',
      'ipv4_addr',
      4,
      specialRanges4.map(({ range }) => range),
    )}
${family(
  'ip6',
  'ipv6_addr',
  6,
  specialRanges6.map(({ range }) => range),
)}
  chain refuse {
    meta nfproto ipv4 meta l4proto { tcp, udp } jump note4
    meta nfproto ipv6 meta l4proto { tcp, udp } jump note6
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state invalid drop
    iifname "${routerUplink}" oifname ${links} ct state established,related accept
    iifname != ${links} drop
    fib saddr . iif oif missing drop
    oifname ${links} meta mark set ${markOf('other_sandbox')} goto refuse
    ct state established,related accept
    meta l4proto != { tcp, udp } meta mark set ${markOf('protocol')} goto refuse
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
