import { expect, it } from 'vitest'
import { networkOf } from './network-of.ts'

it.each([
  ['203.0.113.9', 48, '203.0.113.9'],
  ['2001:db8:1:ab12::7', 64, '2001:db8:1:ab12'],
  ['2001:DB8:1:AB12:1:2:3:4', 56, '2001:db8:1:ab00'],
  ['2001:db8:1:ab12::', 48, '2001:db8:1'],
  ['2001:db8::1', 56, '2001:db8:0:0'],
  ['::1', 48, '0:0:0'],
])('the network of %s with %i bits is %s', (address, bits, network) =>
  expect(networkOf(address, bits)).toBe(network),
)
