import { expect, test } from 'vitest'
import { nextSort, orderOf, readRowSearch } from './row-search.ts'

test.each([
  [{}, {}],
  [{ filter: 'amount:gte:10' }, { filter: ['amount:gte:10'] }],
  [
    { filter: ['a:eq:1', '', 7, 'b:is:null'], sort: '-a' },
    { filter: ['a:eq:1', 'b:is:null'], sort: '-a' },
  ],
  [{ filter: [{}], sort: ['a'], row: 5 }, { row: '5' }],
  [{ filter: 'x'.repeat(1025) }, {}],
])('the address %j means %j', (search, expected) => {
  expect(readRowSearch(search)).toEqual(expected)
})

test('an address has at most ten conditions', () => {
  expect(readRowSearch({ filter: Array.from({ length: 11 }, (_, at) => `a:eq:${at}`) }).filter).toHaveLength(
    10,
  )
})

test('presses on one heading sort up, down and not at all', () => {
  expect([undefined, 'a', '-a', 'b'].map((sort) => nextSort(sort, 'a'))).toEqual(['a', '-a', undefined, 'a'])
  expect([undefined, 'a', '-a', 'b'].map((sort) => orderOf(sort, 'a'))).toEqual([
    'none',
    'ascending',
    'descending',
    'none',
  ])
})
