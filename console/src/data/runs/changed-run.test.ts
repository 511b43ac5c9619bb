import type { RunChangeEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { showChangedRun } from './changed-run.ts'

const queued = { id: 'run_1', status: 'queued', error_code: '', terminal_at: null, task_name: 'Report' }
const ended = { ...queued, id: 'run_2', status: 'failed', error_code: 'timeout', terminal_at: '2026-10-01' }

const startedAt = '2026-10-01T12:00:00Z'
const eventOf = (id: string, status: RunChangeEvent['status'], terminalAt: string | null = null) =>
  ({
    kind: 'run',
    id,
    status,
    error_code: '',
    started_at: startedAt,
    terminal_at: terminalAt,
  }) as RunChangeEvent

/** A cache with both kinds of lists; `items` reads what each has. */
function lists() {
  const queries = new QueryClient()
  const { path } = allRoutes.listVisibleRuns
  const page = { items: [queued, ended], total: 2 }
  const keys = [
    [path, {}, {}],
    [allRoutes.findRuns.path, {}, { offset: 500 }],
  ]
  for (const key of keys) queries.setQueryData(key, page)
  const items = () => keys.map((key) => queries.getQueryData<typeof page>(key)?.items)
  return { queries, items }
}

test('a run has the state of its event in every list, before the list is read again', () => {
  const { queries, items } = lists()
  showChangedRun(queries, eventOf('run_1', 'completed', '2026-10-02'))
  const completed = { ...queued, status: 'completed', terminal_at: '2026-10-02' }
  expect(items()).toEqual([
    [completed, ended],
    [{ ...completed, started_at: startedAt }, ended],
  ])
})

test('an event that comes late does not bring a run back', () => {
  const { queries, items } = lists()
  showChangedRun(queries, eventOf('run_2', 'running'))
  expect(items()[0]).toEqual([queued, ended])
})
