import { expect, it } from 'vitest'
import { ClientCounts } from './client-counts.ts'

/** How many of these addresses get a place. */
const placesOf = (counts: ClientCounts, addresses: readonly string[]): number =>
  addresses.filter((address) => counts.take(address)).length

const addresses = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at))
const hex = (at: number) => at.toString(16).padStart(2, '0')

it('bounds an address of IPv4 by itself', () => {
  const counts = new ClientCounts(2)
  expect(
    placesOf(
      counts,
      addresses(5, () => '203.0.113.1'),
    ),
  ).toBe(2)
  expect(counts.take('203.0.113.2')).toBeDefined()
})

it('bounds networks of IPv6 with 64, 56 and 48 bits', () => {
  const counts = new ClientCounts(2)
  expect(
    placesOf(
      counts,
      addresses(5, (at) => `2001:db8:1:100::${at}`),
    ),
  ).toBe(2)
  expect(
    placesOf(
      counts,
      addresses(20, (at) => `2001:db8:1:1${hex(at + 1)}::1`),
    ),
  ).toBe(2)
  expect(
    placesOf(
      counts,
      addresses(20, (at) => `2001:db8:1:${hex(at + 2)}00::1`),
    ),
  ).toBe(4)
  expect(counts.take('2001:db8:2::1')).toBeDefined()
})

it('gives a place back in each network', () => {
  const counts = new ClientCounts(1)
  const release = counts.take('2001:db8:1:100::1')
  expect(counts.take('2001:db8:1:100::2')).toBeUndefined()
  release?.()
  expect(counts.take('2001:db8:1:100::2')).toBeDefined()
})
