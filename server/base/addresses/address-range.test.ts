import { expect, test } from 'vitest'
import { type AddressRange, contains, overlap, parseAddressRange } from './address-range.ts'

const range = (text: string): AddressRange => {
  const parsed = parseAddressRange(text)
  if (!parsed) throw new Error(`${text} is not a range`)
  return parsed
}

test.each([
  ['8.8.8.0/24', 4, 0x08080800n, 0x080808ffn],
  ['1.2.3.4/32', 4, 0x01020304n, 0x01020304n],
  ['0.0.0.0/0', 4, 0n, 0xffffffffn],
  ['::/0', 6, 0n, (1n << 128n) - 1n],
  ['2001:db8::/32', 6, 0x20010db8n << 96n, (0x20010db9n << 96n) - 1n],
  ['1:2:3:4:5:6:7:8/128', 6, 0x00010002000300040005000600070008n, 0x00010002000300040005000600070008n],
  ['::ffff:1.2.3.4/128', 6, 0xffff01020304n, 0xffff01020304n],
  ['1::/128', 6, 1n << 112n, 1n << 112n],
] as const)('%s is a range', (text, family, first, last) => {
  expect(parseAddressRange(text)).toEqual({ family, first, last })
})

test.each([
  ...['8.8.8.8', '8.8.8.8/24', '8.8.8.0/33', '8.8.8/24', '08.8.8.0/24', '8.8.8.0/-1', '8.8.8.0/2 4', ''],
  ...['::1/64', '::/129', '1::2::3/128', 'example.org/24', '8.8.8.0/24\n', 'fe80::%eth0/64', '/24'],
])('%j is not a range', (text) => expect(parseAddressRange(text)).toBeUndefined())

test('contains and overlap compare ranges of one family only', () => {
  expect(contains(range('8.0.0.0/8'), range('8.8.8.0/24'))).toBe(true)
  expect(contains(range('8.8.8.0/24'), range('8.0.0.0/8'))).toBe(false)
  expect(overlap(range('8.8.8.0/24'), range('8.0.0.0/8'))).toBe(true)
  expect(overlap(range('8.8.8.0/24'), range('8.8.9.0/24'))).toBe(false)
  expect(overlap(range('0.0.0.0/0'), range('::/0'))).toBe(false)
})
