import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { historyRoutes } from '@sandbox-jobs/contract/routes/history-routes.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { countTaskRuns, listTaskRuns } from '../../../runs/history/task-history.ts'
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
import { previewInput } from '../../../tasks/inputs/input-preview.ts'
import { listTaskVersions } from '../../../tasks/versions/list-task-versions.ts'
import { changeDraft, createDraft, readVersion } from '../../../tasks/versions/task-version-service.ts'
import { archiveVersion, publishVersion } from '../../../tasks/versions/version-lifecycle.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'active' } as const

/** Tasks (contract part 2, "Tasks, versions, shares"), the network access of their runs, and their versions. */
export function mountTaskRoutes(mount: Mount, context: TaskContext): void {
  mount(taskRoutes.listTasks, ({ principal, query }) =>
    listVisibleTasks(context, principal, listRequestOf(query, listDefaults)),
  )
  mount(taskRoutes.createTask, ({ principal, body, idempotencyKey }) =>
    createTask(context, principal, body, idempotencyKey),
  )
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
  mountVersionRoutes(mount, context)
  mountHistoryRoutes(mount, context)
}

function mountVersionRoutes(mount: Mount, context: TaskContext): void {
  mount(taskRoutes.listTaskVersions, ({ principal, params, query }) =>
    listTaskVersions(context, principal, { taskId: params.id, request: listRequestOf(query, listDefaults) }),
  )
  mount(taskRoutes.createTaskVersion, ({ principal, params, body }) =>
    createDraft(context, principal, { taskId: params.id, request: body }),
  )
  mount(taskRoutes.readTaskVersion, ({ principal, params }) =>
    readVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
  mount(taskRoutes.updateTaskVersion, ({ principal, params, query, body: request }) =>
    changeDraft(context, principal, {
      ...{ taskId: params.id, versionId: params.vid, request },
      ifDigest: query.if_digest,
    }),
  )
  mount(taskRoutes.publishTaskVersion, ({ principal, params }) =>
    publishVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
  mount(taskRoutes.archiveTaskVersion, ({ principal, params }) =>
    archiveVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
  mount(scriptRoutes.previewInput, ({ principal, params, body }) =>
    previewInput(context, principal, { taskId: params.id, versionId: params.vid, input: body.input }),
  )
}

/** The runs of a task in every room. */
function mountHistoryRoutes(mount: Mount, context: TaskContext): void {
  mount(historyRoutes.listTaskRuns, ({ principal, params, query }) =>
    listTaskRuns(context.db, principal, params.id, query),
  )
  mount(historyRoutes.countTaskRuns, ({ principal, params, query }) =>
    countTaskRuns(context.db, principal, params.id, query),
  )
}
