import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from '../api/queries.ts'

/** All doors of a room, which are one page. */
export const doorsOf = (cid: string) => apiQuery(allRoutes.listDoors, { params: { cid } })
