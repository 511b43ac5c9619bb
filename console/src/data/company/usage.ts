import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryOf } from '@sandbox-jobs/contract/routes/route.ts'
import { addressOf } from '../api/api.ts'
import { apiQuery } from '../api/queries.ts'

type UsageQuery = QueryOf<typeof allRoutes.readUsageReport>

/** The budget of the month, and its use. */
export const budget = apiQuery(allRoutes.readBudgetUse, {})

export const usageReport = (query: UsageQuery) => apiQuery(allRoutes.readUsageReport, { query })

/** The same as CSV. */
export const usageFile = (query: UsageQuery): string => addressOf(allRoutes.downloadUsageReport, { query })

export const storageUse = apiQuery(allRoutes.readStorageUse, {})

export const keptVersions = apiQuery(allRoutes.listKeptVersions, {})
