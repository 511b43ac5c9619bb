import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from '../api/queries.ts'

/** The person who is signed in. */
export const me = apiQuery(allRoutes.readOwnAccount, {})
