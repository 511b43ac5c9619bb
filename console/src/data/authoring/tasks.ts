import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiAll, apiPages, apiQuery, readAgain } from '../api/queries.ts'

/** Tasks with who uses them. */
export const tasks = apiPages(allRoutes.listTaskOverviews, {})

export const taskOf = (id: string) => apiQuery(allRoutes.readTask, { params: { id } })

/** Versions of a task, archived ones left out. */
export const taskVersionsOf = (id: string) => apiAll(allRoutes.listTaskVersions, { params: { id } })

export const taskVersionOf = (id: string, vid: string) =>
  apiQuery(allRoutes.readTaskVersion, { params: { id, vid } })

/** The live shares of a task. */
export const sharesOf = (id: string) =>
  apiAll(allRoutes.listShares, { params: { id }, query: { lifecycle: 'active' } })

/** The rooms that enabled a task, with the version of each. */
export const bindingsOf = (id: string) =>
  apiAll(allRoutes.listTaskBindings, { params: { id }, query: { lifecycle: 'active' } })

/** Has all that shows tasks read again. */
export const readTasksAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    allRoutes.listTaskOverviews,
    allRoutes.readTask,
    allRoutes.listTaskVersions,
    allRoutes.readTaskVersion,
    allRoutes.listShares,
    allRoutes.readMenu,
  ])
