import type { UsageItem } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { expect, test } from 'vitest'
import { readUsageFilters } from './usage-filters.ts'
import { daysBetween, measureOf, seriesOf } from './usage-series.ts'

const item = (day: string, task: string, cost: string, seconds = 1): UsageItem => ({
  day,
  kind: 'run',
  subject_id: task,
  subject_name: `name of ${task}`,
  chatroom_id: null,
  chatroom_name: null,
  department_id: null,
  department_name: null,
  principal_type: null,
  principal_id: null,
  principal_name: null,
  count: 1,
  seconds,
  ingress_bytes: 0,
  egress_bytes: 0,
  cost,
})
const days = ['2026-11-29', '2026-11-30']

test('days go over the end of a month, and a range that is none has no day', () => {
  expect(daysBetween('2026-11-29', '2026-12-01')).toEqual([...days, '2026-12-01'])
  expect(daysBetween('2026-11-30', '2026-11-29')).toEqual([])
})

test('values of a subject are by day, runs and builds together', () => {
  const items = [item('2026-11-30', 'a', '0.500000'), item('2026-11-30', 'a', '0.250000')]
  expect(seriesOf(items, { by: 'task', days, measure: 'cost' })).toEqual([
    { id: 'a', name: 'name of a', values: [0, 0.75] },
  ])
})

test('the largest subjects have series of their own, and the rest is one', () => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((task, at) => item('2026-11-29', task, `${at + 1}.000000`))
  const series = seriesOf(items, { by: 'task', days, measure: 'cost' })
  expect(series.map(({ name }) => name)).toEqual(['name of f', 'name of e', 'name of d', 'name of c', null])
  expect(series.at(-1)?.values).toEqual([3, 0])
})

test('where nothing has a price, time is shown', () => {
  expect(measureOf([item('2026-11-29', 'a', '0.000000')])).toBe('seconds')
  expect(measureOf([item('2026-11-29', 'a', '0.000001')])).toBe('cost')
})

test('what is no filter is left out of the address', () => {
  expect(readUsageFilters({ by: 'room', from: '2026-11-01', to: '2026-11-30' })).toEqual({
    by: 'room',
    from: '2026-11-01',
    to: '2026-11-30',
  })
  expect(readUsageFilters({ by: 'day', from: '1', to: ['2026-11-30'] })).toEqual({})
})
