import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiPages } from '../api/queries.ts'

/** The uploaded files of a room, the newest first. */
export const inputFilesOf = (cid: string) => apiPages(allRoutes.listInputFiles, { params: { cid } })
