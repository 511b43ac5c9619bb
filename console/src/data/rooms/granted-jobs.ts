import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiAll, readAgain } from '../api/queries.ts'

/** The tasks that are shared with a room, enabled there or not. */
export const grantedJobsOf = (cid: string) => apiAll(allRoutes.listGrantedJobs, { params: { cid } })

/** Has what a room offers read again. */
export const readJobsAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listGrantedJobs, allRoutes.readMenu])
