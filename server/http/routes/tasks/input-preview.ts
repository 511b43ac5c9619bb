import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { previewInput } from '../../../tasks/inputs/input-preview.ts'
import type { Mount } from '../../mount.ts'

/** Trying out an input (contract part 1, "Runtime contract"). */
export function mountInputPreviewRoute(mount: Mount, context: TaskContext): void {
  mount(scriptRoutes.previewInput, ({ principal, params, body }) =>
    previewInput(context, principal, { taskId: params.id, versionId: params.vid, input: body.input }),
  )
}
