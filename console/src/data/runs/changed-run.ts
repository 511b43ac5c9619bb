import type { RunChangeEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { VisibleRunList } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'

/**
 * Shows the state of an event in the lists that have its run. The rest, such as whether the run still matches the filters of a
 * list, is right when the list has been read again.
 */
export function showChangedRun(queries: QueryClient, event: RunChangeEvent): void {
  queries.setQueriesData<VisibleRunList | InfiniteData<VisibleRunList>>(
    { queryKey: [allRoutes.listVisibleRuns.path] },
    (list) => {
      if (list === undefined) return undefined
      if ('pages' in list) return { ...list, pages: list.pages.map((page) => changed(page, event)) }
      return changed(list, event)
    },
  )
}

/** A run that has ended stays so: the list was read after an event that comes late. */
const changed = (
  list: VisibleRunList,
  { id, status, error_code, terminal_at }: RunChangeEvent,
): VisibleRunList => ({
  ...list,
  items: list.items.map((run) =>
    run.id === id && run.terminal_at === null ? { ...run, status, error_code, terminal_at } : run,
  ),
})
