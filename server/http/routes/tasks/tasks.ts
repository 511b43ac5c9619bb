import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { listRequestOf } from '../../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import {
  archiveTask,
  changeTaskEgress,
  createTask,
  listVisibleTasks,
  readTask,
  readTaskEgress,
  updateTask,
} from '../../../tasks/catalogue/task-service.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'active' } as const

/** Tasks (contract part 2, "Tasks, versions, shares") and the network access of their runs. */
export function mountTaskRoutes(mount: Mount, context: TaskContext): void {
  mount(taskRoutes.listTasks, ({ principal, query }) =>
    listVisibleTasks(context, principal, listRequestOf(query, listDefaults)),
  )
  mount(taskRoutes.createTask, ({ principal, body }) => createTask(context, principal, body))
  mount(taskRoutes.readTask, ({ principal, params }) => readTask(context, principal, params.id))
  mount(taskRoutes.updateTask, ({ principal, params, body }) =>
    updateTask(context, principal, { taskId: params.id, request: body }),
  )
  mount(taskRoutes.archiveTask, ({ principal, params }) => archiveTask(context, principal, params.id))
  mount(extensionRoutes.readTaskEgress, ({ principal, params }) =>
    readTaskEgress(context, principal, params.id),
  )
  mount(extensionRoutes.changeTaskEgress, ({ principal, params, body }) =>
    changeTaskEgress(context, principal, { id: params.id, allowList: body.allow_list }),
  )
}
