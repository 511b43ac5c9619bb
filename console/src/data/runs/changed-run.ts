import type { RunChangeEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { FoundRunList } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import type { VisibleRunList } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'

/**
 * Shows the state of an event in the lists that have its run. The rest, such as whether the run still matches the filters of a
 * list, is right when the list has been read again.
 */
export function showChangedRun(queries: QueryClient, event: RunChangeEvent): void {
  const { id, status, error_code, started_at, terminal_at } = event
  const change = { status, error_code, terminal_at }
  queries.setQueriesData<VisibleRunList>(
    { queryKey: [allRoutes.listVisibleRuns.path] },
    (list) => list && { ...list, items: changed(list.items, id, change) },
  )
  queries.setQueriesData<FoundRunList>(
    { queryKey: [allRoutes.findRuns.path] },
    (list) => list && { ...list, items: changed(list.items, id, { ...change, started_at }) },
  )
}

/** A run that has ended stays so: the list was read after an event that comes late. */
const changed = <Run extends { id: string; terminal_at: string | null }>(
  runs: Run[],
  id: string,
  change: NoInfer<Partial<Run>>,
): Run[] => runs.map((run) => (run.id === id && run.terminal_at === null ? { ...run, ...change } : run))
