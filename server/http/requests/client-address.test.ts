import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { type AddressRange, parseAddressRange } from '../../base/addresses/address-range.ts'
import { clientAddress } from './client-address.ts'

const ranges = (...texts: string[]) => texts.map((text) => parseAddressRange(text) as AddressRange)
const proxies = ranges('10.0.0.0/8', 'fd00::/8')
const of = (headers: IncomingHttpHeaders, peer = '10.0.0.1') => clientAddress({ peer, headers }, proxies)
const xff = (value: string, peer?: string) => of({ 'x-forwarded-for': value }, peer)
const forwarded = (value: string) => of({ forwarded: value })

it.each([
  ['one proxy', '198.51.100.7', '198.51.100.7'],
  ['two proxies', '198.51.100.7, 10.1.1.1', '198.51.100.7'],
  ['a client that invents hops', '1.1.1.1, 10.9.9.9, 198.51.100.7', '198.51.100.7'],
  ['a client that invents a trusted hop behind', '1.1.1.1, 198.51.100.7, 10.1.1.1', '198.51.100.7'],
  ['nothing but proxies', '10.3.3.3, 10.1.1.1', '10.3.3.3'],
  ['a value that is not an address', 'unknown', '10.0.0.1'],
  ['an invalid value after an invented address', '1.1.1.1, unknown, 10.1.1.1', '10.1.1.1'],
  ['a port', '198.51.100.7:4711', '198.51.100.7'],
  ['IPv6', '2001:DB8::1', '2001:db8::1'],
  ['IPv6 with a port', '[2001:db8::1]:443', '2001:db8::1'],
  ['IPv4 in the form of IPv6', '::ffff:198.51.100.7', '198.51.100.7'],
  ['an empty header', '', '10.0.0.1'],
  ['very many hops', `${'1.1.1.1,'.repeat(5000)}198.51.100.7`, '198.51.100.7'],
])('reads X-Forwarded-For of %s from the right', (_name, header, client) => {
  expect(xff(header)).toBe(client)
})

it.each([
  ['for=198.51.100.7;proto=https', '198.51.100.7'],
  ['proto=https; For="[2001:db8::1]:4711"', '2001:db8::1'],
  ['for=1.1.1.1, for=198.51.100.7, for=10.1.1.1', '198.51.100.7'],
  ['for="1.1.1.1, for=198.51.100.7', '198.51.100.7'],
  ['for=_hidden', '10.0.0.1'],
  ['by=198.51.100.7', '10.0.0.1'],
])('reads Forwarded from the right: %s', (header, client) => {
  expect(forwarded(header)).toBe(client)
})

it('trusts only configured proxies, and nobody by default', () => {
  expect(xff('198.51.100.7', '203.0.113.9')).toBe('203.0.113.9')
  expect(xff('198.51.100.7', '::ffff:10.0.0.1')).toBe('198.51.100.7')
  expect(clientAddress({ peer: '10.0.0.1', headers: { 'x-forwarded-for': '1.1.1.1' } }, [])).toBe('10.0.0.1')
})

it('trusts neither header when they disagree', () => {
  expect(of({ 'x-forwarded-for': '198.51.100.7', forwarded: 'for=1.1.1.1' })).toBe('10.0.0.1')
  expect(of({ 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' })).toBe('198.51.100.7')
})
