import { expect, test } from 'vitest'
import { isFiltered, queryOfFilters, readFilters } from './filters.ts'

test('what is no filter of runs is left out of an address', () => {
  const search = {
    status: ['running', 'gone', 'running', 7],
    room: '',
    task: 'tsk_1',
    from: '2026-13-99',
    to: 5,
    x: 1,
  }
  expect(readFilters(search)).toEqual({ status: ['running'], task: 'tsk_1' })
})

test('one state needs no list', () => {
  expect(readFilters({ status: 'queued' })).toEqual({ status: ['queued'] })
})

test('the last day counts as a whole', () => {
  const { queued_after, queued_before } = queryOfFilters({ from: '2026-10-31', to: '2026-10-31' })
  expect(Date.parse(queued_before ?? '') - Date.parse(queued_after ?? '')).toBe(86_400_000)
})

test('an address without filters shows everything', () => {
  expect(isFiltered(readFilters({ status: 'gone' }))).toBe(false)
})
