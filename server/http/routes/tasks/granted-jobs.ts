import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import {
  disableGrantedJob,
  enableGrantedJob,
  listGrantedJobs,
} from '../../../tasks/bindings/granted-job-service.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import type { Mount } from '../../mount.ts'

/** Tasks that a room was granted and enables (contract part 2, "Chatroom runs"). */
export function mountGrantedJobRoutes(mount: Mount, context: TaskContext): void {
  mount(chatroomRoutes.listGrantedJobs, ({ principal, params, query }) =>
    listGrantedJobs(context, principal, { chatroomId: params.cid, query }),
  )
  mount(chatroomRoutes.enableGrantedJob, ({ principal, params, body }) =>
    enableGrantedJob(context, principal, {
      chatroomId: params.cid,
      taskId: params.tid,
      taskVersionId: body.task_version_id ?? undefined,
    }),
  )
  mount(chatroomRoutes.disableGrantedJob, ({ principal, params }) =>
    disableGrantedJob(context, principal, { chatroomId: params.cid, taskId: params.tid }),
  )
}
