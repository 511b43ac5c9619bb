import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { listRequestOf } from '../../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { createShare, listTaskShares, revokeShare } from '../../../tasks/shares/share-service.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'all' } as const

/** The rooms, departments and companies that may use a task (contract part 2, "Tasks, versions, shares"). */
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
}
