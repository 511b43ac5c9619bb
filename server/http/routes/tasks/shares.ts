import {
  catalogPageSizeDefault,
  chatroomPageSizeDefault,
  menuPageMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { bindingRoutes } from '@sandbox-jobs/contract/routes/binding-routes.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import {
  acceptVersion,
  createBinding,
  readBinding,
  revokeBindingById,
} from '../../../tasks/bindings/binding-service.ts'
import {
  disableGrantedJob,
  enableGrantedJob,
  listGrantedJobs,
} from '../../../tasks/bindings/granted-job-service.ts'
import { listRequestOf } from '../../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { readMenu } from '../../../tasks/menu/menu-service.ts'
import { createShare, listTaskShares, revokeShare } from '../../../tasks/shares/share-service.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'all' } as const

/** Shares of a task (contract part 2, "Tasks, versions, shares"), and how rooms use them. */
export function mountShareRoutes(mount: Mount, context: TaskContext): void {
  mount(taskRoutes.listShares, ({ principal, params, query }) =>
    listTaskShares(context, principal, { taskId: params.id, request: listRequestOf(query, listDefaults) }),
  )
  mount(taskRoutes.createShare, ({ principal, params, body }) =>
    createShare(context, principal, { taskId: params.id, request: body }),
  )
  mount(taskRoutes.revokeShare, ({ principal, params, body }) =>
    revokeShare(context, principal, { taskId: params.id, shareId: params.gid, reason: body.reason ?? '' }),
  )
  mountGrantedJobRoutes(mount, context)
  mountBindingRoutes(mount, context)
  mountMenuRoutes(mount, context)
}

/** The pins of rooms, addressed by their own ids (contract part 2, "Bindings"). */
function mountBindingRoutes(mount: Mount, context: TaskContext): void {
  mount(bindingRoutes.createBinding, ({ principal, body }) => createBinding(context, principal, body))
  mount(bindingRoutes.readBinding, ({ principal, params }) => readBinding(context, principal, params.id))
  mount(bindingRoutes.acceptBindingVersion, ({ principal, params, body }) =>
    acceptVersion(context, principal, { bindingId: params.id, taskVersionId: body.task_version_id }),
  )
  mount(bindingRoutes.revokeBinding, ({ principal, params, body }) =>
    revokeBindingById(context, principal, { bindingId: params.id, reason: body.reason ?? '' }),
  )
}

/** Tasks that a room was granted and enables (contract part 2, "Chatroom runs"). */
function mountGrantedJobRoutes(mount: Mount, context: TaskContext): void {
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

function mountMenuRoutes(mount: Mount, context: TaskContext): void {
  mount(chatroomRoutes.readMenu, ({ principal, params, query }) =>
    readMenu(context, principal, {
      chatroomId: params.cid,
      page_size: query.page_size ?? chatroomPageSizeDefault,
      page_token: query.page_token,
      maxBytes: menuPageMaxBytes,
    }),
  )
}
