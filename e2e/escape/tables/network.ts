import { machine, publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import type { Table } from '../attempt.ts'

const inner =
  `127.0.0.1 127.0.0.53 0.0.0.0 10.9.9.9 10.1.2.3 169.254.169.254 168.63.129.16 172.16.0.1 192.168.0.1
  192.168.1.1 100.64.0.1 100.100.100.200 198.18.0.1 224.0.0.251 255.255.255.255 0xa.9.9.9 012.9.9.9 168364297
  2852039166 ::1 fe80::1 fd00:ec2::254 ::ffff:10.9.9.9 ::ffff:169.254.169.254 64:ff9b::a09:909 2002:a09:909::9`.split(
    /\s+/,
  )

/** Internal addresses and those of the machine, from a job with a network link. */
export function network(): Table {
  const connect = (name: string, address: string, port: number) => ({
    name: `connect_${name.replaceAll(/\W/g, '_')}_${port}`,
    what: `connects to ${address}, port ${port}`,
    command: `echo | nc -w 1 ${address} ${port} | grep -q hello`,
  })
  return {
    class: 'network',
    spec: { network: { egressCapBytes: 2 ** 30 } },
    attempts: [
      ...inner.map((address) => connect(address, address, 80)),
      ...[machine.ip4, machine.ip6].flatMap((address) =>
        [22, 53, 80, 443].map((port) => connect(address, address, port)),
      ),
      connect('foreign_names', publicHosts.ip4, 53),
      ...[1, 22, 80, 443, 5432, 8080].map((port) => ({
        name: `gateway_${port}`,
        what: `connects to what answers at its gateway, port ${port}`,
        command: `nc -w 1 $(ip route | sed -n 's/default via \\([0-9.]*\\).*/\\1/p') ${port} </dev/null`,
      })),
      { name: 'spoof_address', what: 'takes another address', command: 'ip address add 8.8.8.8/32 dev eth0' },
      {
        name: 'device_down',
        what: 'changes its link',
        command: 'ip link set eth0 address 02:00:00:00:00:99',
      },
      { name: 'second_route', what: 'makes a route of its own', command: 'ip route add 10.0.0.0/8 dev eth0' },
    ],
  }
}

const listed = publicHosts.other4
/** Number of concurrent links of a testbed; the resolver uses their numbers as ports of its grants. */
const links = 8

/** Unlisted public addresses, from a job with an allow list of one address. */
export function allowList(): Table {
  const reach = (address: string) => `echo | nc -w 1 ${address} 80 | grep -q hello`
  const others = [publicHosts.ip4, publicHosts.ip6]
  const forged = Array.from({ length: links }, (_, link) => link)
  return {
    class: 'allow list',
    spec: {
      network: { egressCapBytes: 2 ** 30, allow: { names: ['listed.test'], ranges: [`${listed}/32`] } },
    },
    attempts: [
      { name: 'listed', what: 'is kept from what is listed', command: `! { ${reach(listed)}; }` },
      ...others.map((address) => ({
        name: `unlisted_${address.replaceAll(/\W/g, '_')}`,
        what: `connects to ${address}`,
        command: reach(address),
      })),
      {
        name: 'unlisted_datagram',
        what: 'sends a datagram to an address that is not listed',
        command: `echo | nc -u -w 1 ${publicHosts.ip4} 80 | grep -q heard`,
      },
      ...forged.map((link) => ({
        name: `forged_grant_${link}`,
        what: 'opens an address with a datagram like those of the resolver',
        command: `echo | nc -u -w 1 -p 1 ${publicHosts.ip4} ${link}; ${reach(publicHosts.ip4)}`,
      })),
      {
        name: 'unlisted_name',
        what: 'has a name resolved that is not listed',
        command: `nslookup 08080808.test | grep -q ${publicHosts.ip4.replaceAll('.', '[.]')}`,
      },
    ],
  }
}
