import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiAll } from '../api/queries.ts'

/** All that a room offers. */
export const menuOf = (cid: string) => apiAll(allRoutes.readMenu, { params: { cid } })
