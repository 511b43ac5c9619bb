import { expect, test } from 'vitest'
import { queryOfFindings, readFindingFilters } from './finding-filters.ts'

test('what is no filter of an address is left out', () => {
  expect(readFindingFilters({ state: 'excepted', severity: ['high', 'worst', 'high'], page: 3 })).toEqual({
    state: ['excepted'],
    severity: ['high'],
  })
  expect(readFindingFilters({ state: { a: 1 } })).toEqual({})
})

test('without a state the findings of the current version are shown', () => {
  expect(queryOfFindings({})).toEqual({ state: ['discovered', 'reappeared', 'excepted', 'blocked'] })
  expect(queryOfFindings({ state: ['resolved'], severity: ['low'] })).toEqual({
    state: ['resolved'],
    severity: ['low'],
  })
})
