import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { listRequestOf } from '../../../tasks/catalogue/list-request.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { listTaskVersions } from '../../../tasks/versions/list-task-versions.ts'
import { changeDraft, createDraft, readVersion } from '../../../tasks/versions/task-version-service.ts'
import { archiveVersion, publishVersion } from '../../../tasks/versions/version-lifecycle.ts'
import type { Mount } from '../../mount.ts'

const listDefaults = { page_size: catalogPageSizeDefault, lifecycle: 'active' } as const

/** Versions of a task (contract part 2, "Tasks, versions, shares"). */
export function mountTaskVersionRoutes(mount: Mount, context: TaskContext): void {
  mount(taskRoutes.listTaskVersions, ({ principal, params, query }) =>
    listTaskVersions(context, principal, { taskId: params.id, request: listRequestOf(query, listDefaults) }),
  )
  mount(taskRoutes.createTaskVersion, ({ principal, params, body }) =>
    createDraft(context, principal, { taskId: params.id, request: body }),
  )
  mount(taskRoutes.readTaskVersion, ({ principal, params }) =>
    readVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
  mount(taskRoutes.updateTaskVersion, ({ principal, params, body }) =>
    changeDraft(context, principal, { taskId: params.id, versionId: params.vid, request: body }),
  )
  mount(taskRoutes.publishTaskVersion, ({ principal, params }) =>
    publishVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
  mount(taskRoutes.archiveTaskVersion, ({ principal, params }) =>
    archiveVersion(context, principal, { taskId: params.id, versionId: params.vid }),
  )
}
