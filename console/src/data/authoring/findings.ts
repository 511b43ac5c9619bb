import type { GivenParts } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiPages, readAgain } from '../api/queries.ts'

type Query = NonNullable<GivenParts<typeof allRoutes.listFindings>['query']>

/** Findings of all versions of an environment over time. */
export const findingsOf = (id: string, query: Query) =>
  apiPages(allRoutes.listFindings, { params: { id }, query })

export const readFindingsAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listFindings, allRoutes.listEnvironmentOverviews])
