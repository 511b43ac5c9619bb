import {
  type FoundRun,
  type FoundRunList,
  foundRunsLimitMax,
  foundRunsOffsetMax,
} from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryOf } from '@sandbox-jobs/contract/routes/route.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiQuery } from '../api/queries.ts'
import { untilNextRead } from './live-lists.ts'

/*
 * A list of any number of runs, read in pages by their place. It shows the runs that were there at `as_of`, so that new ones move no
 * row; they are counted beside it.
 */

export type FoundFilters = Omit<QueryOf<typeof allRoutes.findRuns>, 'offset' | 'limit'>

export const pageRows = foundRunsLimitMax
/** So many runs of a list can be reached; filters reach the others. */
export const reachedMax = foundRunsOffsetMax + foundRunsLimitMax
/** A page that is out of view is soon forgotten: a list has up to 200. */
const keptMs = 30_000

/** The newest page. Reading it again moves the list to the present. */
export const firstRuns = (filters: FoundFilters) => ({
  ...apiQuery(allRoutes.findRuns, { query: { ...filters, limit: pageRows } }),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
})

/** A page of the list that begins with `list`. */
export const runsAt = (filters: FoundFilters, list: FoundRunList, page: number) => ({
  ...apiQuery(allRoutes.findRuns, {
    query: { ...filters, queued_before: list.as_of, offset: page * pageRows, limit: pageRows },
  }),
  ...(page === 0 && { initialData: list }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: keptMs,
  refetchInterval: ({ state }: { state: { data?: FoundRunList | undefined } }) =>
    untilNextRead(state.data?.items),
})

/** The number of runs that were submitted since. */
export const newRuns = (filters: FoundFilters, asOf: string) => ({
  ...apiQuery(allRoutes.findRuns, { query: { ...filters, queued_after: asOf, limit: 1 } }),
  select: ({ total }: FoundRunList) => total,
  refetchInterval: () => untilNextRead(undefined),
})

/** Has new runs counted again, and no page read again: events change the states of its runs. */
export const countNewRunsAgain = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [path, , query] }) =>
      path === allRoutes.findRuns.path && (query as { limit?: number }).limit === 1,
  })

export const placeOf = (run: Pick<FoundRun, 'id' | 'chatroom_id'>) => ({
  cid: run.chatroom_id,
  rid: run.id,
})
