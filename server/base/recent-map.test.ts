import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `key ${from + at}`)
const keptOf = (map: RecentMap<string>, keys: string[]) => keys.filter((key) => map.get(key) === key)

test('a value is returned until newer values evict it', () => {
  const map = new RecentMap<string>(2)
  expect(map.get('a')).toBeUndefined()
  map.set('a', 'old')
  map.set('a', 'new')
  expect(map.get('a')).toBe('new')
  map.set('b', 'b')
  map.set('c', 'c')
  map.set('a', 'newest')
  expect(map.get('a')).toBe('newest')
})

test('at least the given number of values is kept, and at most twice as many', () => {
  const map = new RecentMap<string>(10)
  const keys = numbered(1000)
  for (const [at, key] of keys.entries()) {
    map.set(key, key)
    const last = keys.slice(Math.max(0, at - 9), at + 1)
    expect(keptOf(map, last)).toEqual(last)
  }
  expect(keptOf(map, keys.slice(0, -20))).toEqual([])
})

test('a value that is read regularly is never evicted', () => {
  const map = new RecentMap<string>(10)
  map.set('asked', 'asked')
  for (const key of numbered(1000)) {
    map.set(key, key)
    expect(map.get('asked')).toBe('asked')
  }
})
