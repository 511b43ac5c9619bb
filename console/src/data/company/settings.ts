import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from '../api/queries.ts'

/** The settings of the company, with limits that the operator decides. */
export const companySettings = apiQuery(allRoutes.readSettings, {})
