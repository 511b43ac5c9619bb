/**
 * Addresses that a sandbox may never send to, independent of allow lists: each range of IANA's special-purpose
 * registries, everything outside of global unicast, and cloud metadata services, which answer any client inside the
 * network. IPv6 ranges that embed IPv4 addresses are forbidden completely, so a forbidden address has no other
 * spelling.
 */
export interface SpecialRange {
  range: string
  what: string
}

const ranges = (text: string): SpecialRange[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [range = '', ...what] = line.trim().split(/\s+/)
      return { range, what: what.join(' ') }
    })

export const specialRanges4 = ranges(`
  0.0.0.0/8          this network
  10.0.0.0/8         private use
  100.64.0.0/10      shared address space, a cloud's metadata among it
  127.0.0.0/8        loopback
  168.63.129.16/32   Azure's platform service
  169.254.0.0/16     link-local, metadata of most clouds
  172.16.0.0/12      private use
  192.0.0.0/24       protocol assignments, Oracle's metadata among them
  192.0.2.0/24       documentation
  192.31.196.0/24    AS112
  192.52.193.0/24    automatic multicast tunnels
  192.88.99.0/24     6to4 relays
  192.168.0.0/16     private use
  192.175.48.0/24    AS112
  198.18.0.0/15      benchmarking; the links of sandboxes lie here
  198.51.100.0/24    documentation
  203.0.113.0/24     documentation
  224.0.0.0/4        multicast
  240.0.0.0/4        reserved, and the broadcast address
`)

/** Everything outside of 2000::/3 at once: loopback, mapped and NAT64 forms, unique local, link-local, multicast. */
export const specialRanges6 = ranges(`
  ::/3               unspecified, loopback, IPv4-mapped and -compatible, NAT64, discard
  2001::/23          protocol assignments, Teredo among them
  2001:db8::/32      documentation
  2002::/16          6to4
  2620:4f:8000::/48  AS112
  3fff::/20          documentation
  4000::/2           not assigned, segment routing among it
  8000::/1           not assigned, unique local, metadata, link-local, multicast
`)
