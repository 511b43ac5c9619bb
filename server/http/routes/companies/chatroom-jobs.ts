import { chatroomJobsRoutes } from '@sandbox-jobs/contract/routes/chatroom-jobs-routes.ts'
import { platformRoutes } from '@sandbox-jobs/contract/routes/platform-routes.ts'
import {
  type ChatroomJobsContext,
  countSandboxRooms,
  listSandboxRooms,
  updateChatroomJobs,
} from '../../../companies/chatrooms/chatroom-jobs.ts'
import { addFavorite, type FavoriteContext, removeFavorite } from '../../../companies/chatrooms/favorites.ts'
import type { Mount } from '../../mount.ts'

/** Which rooms load the agent's tools (contract part 2, "Chatroom job settings for the agent"), and which come first for whom. */
export function mountChatroomJobsRoutes(mount: Mount, context: ChatroomJobsContext & FavoriteContext): void {
  mount(chatroomJobsRoutes.updateChatroomJobs, ({ principal, params, body }) =>
    updateChatroomJobs(context, principal, params.cid, body),
  )
  mount(platformRoutes.addFavorite, ({ principal, params }) => addFavorite(context, principal, params.cid))
  mount(platformRoutes.removeFavorite, ({ principal, params }) =>
    removeFavorite(context, principal, params.cid),
  )
  mount(chatroomJobsRoutes.listChatroomsByJob, ({ principal, query }) =>
    listSandboxRooms(context, principal, query),
  )
  mount(chatroomJobsRoutes.countChatroomsByJob, ({ principal, query }) =>
    countSandboxRooms(context, principal, query),
  )
}
