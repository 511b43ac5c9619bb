import { expect, test } from 'vitest'
import { queryOfAudit, readAuditFilters } from './audit-filters.ts'

test('filters of an address are those of the API, with times as instants', () => {
  const filters = readAuditFilters({ from: '2026-11-30T09:30', actor: ' usr_1 ', kind: 'task', q: 1 })
  expect(filters).toEqual({ from: '2026-11-30T09:30', actor: 'usr_1', kind: 'task' })
  expect(queryOfAudit(filters)).toEqual({
    from: new Date(2026, 10, 30, 9, 30).toISOString(),
    actor_id: 'usr_1',
    object_type: 'task',
  })
})

test('what is no filter is left out', () => {
  expect(
    readAuditFilters({ from: '2026-13-40T09:30', to: 'tomorrow', actor: ['a'], object: 'x'.repeat(257) }),
  ).toEqual({})
})
