import { expect, test } from 'vitest'
import { hashOf, linesOf } from './line-hash.ts'

test.each([
  ['L120', { first: 120, last: 120 }],
  ['#L120-L140', { first: 120, last: 140 }],
  ['L140-L120', { first: 120, last: 140 }],
  ['', undefined],
  ['L0', undefined],
  ['L9999999999', undefined],
  ['L12x', undefined],
  ['result', undefined],
])('%j names %j', (hash, lines) => {
  expect(linesOf(hash)).toEqual(lines)
})

test('lines have an address that names them', () => {
  expect([hashOf({ first: 7, last: 7 }), hashOf({ first: 7, last: 9 })]).toEqual(['L7', 'L7-L9'])
})
