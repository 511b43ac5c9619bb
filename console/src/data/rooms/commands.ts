import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiAll } from '../api/queries.ts'

/** The commands of tables that the people of a room may use. */
export const roomCommandsOf = (cid: string) => apiAll(allRoutes.listRoomCommands, { params: { cid } })
