import { isIPv6 } from 'node:net'

/**
 * The network whose addresses belong to one client: of an IPv6 address its /64, otherwise the address itself. Of an IPv6
 * address also a larger network, by `bits`.
 */
export function networkOf(address: string, bits = 64): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - behind.length)).fill('0')
  return [...groups, ...zeros, ...behind]
    .slice(0, Math.ceil(bits / 16))
    .map((group, at) => {
      const beyond = Math.max(0, (at + 1) * 16 - bits)
      return ((Number.parseInt(group, 16) >> beyond) << beyond).toString(16)
    })
    .join(':')
}
