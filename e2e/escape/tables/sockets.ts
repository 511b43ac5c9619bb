import type { Attempt, Table } from '../attempt.ts'

/** Every family of addresses but local, IPv4, IPv6 and netlink. */
const families = Array.from({ length: 46 }, (_, family) => family).filter(
  (family) => ![0, 1, 2, 10, 16].includes(family),
)
/** Netlink families except routes: firewall, audit, kernel events, SELinux, generic and so on. */
const netlinkFamilies = Array.from({ length: 22 }, (_, family) => family + 1)
const protocols: [string, string][] = [
  ['raw_icmp', '2 3 1'],
  ['raw_any', '2 3 255'],
  ['raw6', '10 3 58'],
  ['icmp', '2 2 1'],
  ['sctp', '2 1 132'],
  ['mptcp', '2 1 262'],
  ['udplite', '2 2 136'],
  ['dccp', '2 6 33'],
  ['l2tp', '2 2 115'],
  ['packet_old', '2 10 3'],
  ['smc6', '10 1 256'],
]
/** Level and name of options that only who administers a network may set. */
const options: [string, string][] = [
  ['mark', '1 36'],
  ['send_buffer', '1 32'],
  ['receive_buffer', '1 33'],
  ['debug', '1 1'],
  ['transparent', '0 19'],
  ['repair', '6 19'],
  ['firewall_replace', '0 64'],
  ['ipsec_policy', '0 17'],
  ['multicast_route', '0 200'],
]

const socket = (name: string, what: string, numbers: string): Attempt => ({
  name: `socket_${name}`,
  what,
  command: `probe socket ${numbers}`,
})

export const sockets: Table = {
  class: 'sockets',
  attempts: [
    ...families.map((family) =>
      socket(
        `family_${family}`,
        `opens a socket of family ${family}`,
        `${family} ${family === 17 ? 3 : 1} 0`,
      ),
    ),
    ...[28, 29, 30, 38, 40, 43].map((family) => ({
      name: `pair_${family}`,
      what: `has the code of family ${family} loaded by a pair`,
      command: `probe socketpair ${family}`,
    })),
    ...netlinkFamilies.map((family) =>
      socket(`netlink_${family}`, `speaks netlink family ${family}`, `16 3 ${family}`),
    ),
    ...protocols.map(([name, numbers]) => socket(name, `opens a ${name} socket`, numbers)),
    ...options.map(([name, numbers]) => ({
      name: `option_${name}`,
      what: `sets the socket option ${name}`,
      command: `probe option ${numbers}`,
      gvisorNote: 'an option of its own network stack',
    })),
    { name: 'link_add', what: 'makes a network device', command: 'ip link add escape type dummy' },
    { name: 'address_add', what: 'takes an address', command: 'ip address add 10.9.8.7/8 dev lo' },
    { name: 'route_add', what: 'makes a route', command: 'ip route add default via 127.0.0.1' },
    { name: 'link_down', what: 'takes a device down', command: 'ifconfig lo down' },
    {
      name: 'pass_descriptor',
      what: 'hands a descriptor to the reader of its log',
      command: 'probe pass-descriptor',
    },
    {
      name: 'descriptors',
      what: 'finds a descriptor that it was not given (CVE-2024-21626)',
      command: 'probe descriptors',
    },
    ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((file) => ({
      name: `through_descriptor_${file}`,
      what: `leaves through descriptor ${file} of a folder outside (CVE-2024-21626)`,
      command: `ls /proc/self/fd/${file}/../../etc || cd /proc/self/fd/${file}`,
    })),
  ],
}
