import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'
import { hostRules, routerRules } from './rules.ts'

function isSpecial(address: string): boolean {
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  // One list per family: an IPv4 address would also match its mapped form.
  const list = new BlockList()
  for (const { range } of family === 'ipv6' ? specialRanges6 : specialRanges4) {
    const [net = '', bits] = range.split('/')
    list.addSubnet(net, Number(bits), family)
  }
  return list.check(address, family)
}

/** First and last address of each block in IANA's special-purpose registries, and addresses used by clouds and routers. */
const registered =
  `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
  169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.31.196.0
  192.31.196.255 192.52.193.0 192.52.193.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 192.175.48.0
  192.175.48.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0
  239.255.255.255 240.0.0.0 255.255.255.255 169.254.169.254 100.100.100.200 192.0.0.192 168.63.129.16
  :: ::1 ::ffff:0:0 ::ffff:ffff:ffff 64:ff9b:: 64:ff9b::ffff:ffff 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
  100:: 100::ffff:ffff:ffff:ffff 100:0:0:1:: 2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:db8::
  2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2620:4f:8000::
  2620:4f:8000:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 5f00:: fc00:: fd00:ec2::254
  fd20:ce::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0:: ff00::
  ff02::fb ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`.split(/\s+/)

test.each(registered)('%s is special', (address) => expect(isSpecial(address)).toBe(true))

test.each([
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...[
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
  ],
  ...[
    '203.0.114.0',
    '223.255.255.255',
    '168.63.129.17',
    '2000::1',
    '2001:200::',
    '2003::',
    '2606:4700::1111',
    '3ffe::',
  ],
])('%s is public', (address) => expect(isSpecial(address)).toBe(false))

test('a table is replaced in one transaction, and drops packets that match no rule', () => {
  const text = routerRules({ ip4: ['203.0.114.2'], ip6: [] })
  expect(
    text.startsWith('table inet sandbox_jobs\ndelete table inet sandbox_jobs\ntable inet sandbox_jobs {\n'),
  ).toBe(true)
  for (const hook of ['forward', 'input', 'output']) {
    expect(text).toContain(`type filter hook ${hook} priority filter; policy drop;`)
  }
  for (const { range } of [...specialRanges4, ...specialRanges6]) expect(text).toContain(range)
  expect(text).toContain('set host4 { type ipv4_addr; elements = { 203.0.114.2 }; }')
  expect(text).toContain('set host6 { type ipv6_addr; }')
})

test('the host accepts nothing from a router', () => {
  const text = hostRules('sandbox_jobs_1', { uplink: 'sbj-1', router4: '198.19.0.2', router6: 'fd5b::2' })
  expect(text).toContain('iifname "sbj-1" drop')
  expect(text).toContain('oifname "sbj-1" ct state != { established, related } drop')
})
