import { chatroomJobsRoutes } from '@sandbox-jobs/contract/routes/chatroom-jobs-routes.ts'
import {
  type ChatroomJobsContext,
  countSandboxRooms,
  listSandboxRooms,
  updateChatroomJobs,
} from '../../../companies/chatrooms/chatroom-jobs.ts'
import type { Mount } from '../../mount.ts'

/** Which rooms load the agent's tools (contract part 2, "Chatroom job settings for the agent"). */
export function mountChatroomJobsRoutes(mount: Mount, context: ChatroomJobsContext): void {
  mount(chatroomJobsRoutes.updateChatroomJobs, ({ principal, params, body }) =>
    updateChatroomJobs(context, principal, params.cid, body),
  )
  mount(chatroomJobsRoutes.listChatroomsByJob, ({ principal, query }) =>
    listSandboxRooms(context, principal, query),
  )
  mount(chatroomJobsRoutes.countChatroomsByJob, ({ principal, query }) =>
    countSandboxRooms(context, principal, query),
  )
}
