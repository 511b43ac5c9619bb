import type { VisibleRunList } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryOf } from '@sandbox-jobs/contract/routes/route.ts'
import { apiQuery } from '../api/queries.ts'
import { untilNextRead } from './live-lists.ts'

export type RunFilters = Omit<QueryOf<typeof allRoutes.listVisibleRuns>, 'page_size' | 'page_token'>

export const runOf = (params: { cid: string; rid: string }) => apiQuery(allRoutes.readExtendedRun, { params })

/** The newest runs that match, as many as fit beside other things. */
export const newestRuns = (filters: RunFilters, count: number) => ({
  ...apiQuery(allRoutes.listVisibleRuns, { query: { ...filters, page_size: count } }),
  refetchInterval: ({ state }: { state: { data?: { items: readonly { status: string }[] } | undefined } }) =>
    untilNextRead(state.data?.items),
})

/** The runs that match, by hour or day. They change slowly: no event has them read again. */
export const statisticsOf = (query: QueryOf<typeof allRoutes.countRuns>) =>
  apiQuery(allRoutes.countRuns, { query })

/** The name of a task whose runs the room has, also after the room no longer offers it. */
export const taskNameOf = (cid: string, taskId: string) => ({
  ...apiQuery(allRoutes.listVisibleRuns, { query: { chatroom_id: cid, task_id: taskId, page_size: 1 } }),
  select: ({ items }: VisibleRunList) => items[0]?.task_name ?? '',
})
