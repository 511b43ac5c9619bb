import { bindingRoutes } from '@sandbox-jobs/contract/routes/binding-routes.ts'
import {
  acceptVersion,
  createBinding,
  readBinding,
  revokeBindingById,
} from '../../../tasks/bindings/binding-service.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import type { Mount } from '../../mount.ts'

/** The pins of rooms, addressed by their own ids (contract part 2, "Bindings"). */
export function mountBindingRoutes(mount: Mount, context: TaskContext): void {
  mount(bindingRoutes.createBinding, ({ principal, body }) => createBinding(context, principal, body))
  mount(bindingRoutes.readBinding, ({ principal, params }) => readBinding(context, principal, params.id))
  mount(bindingRoutes.acceptBindingVersion, ({ principal, params, body }) =>
    acceptVersion(context, principal, { bindingId: params.id, taskVersionId: body.task_version_id }),
  )
  mount(bindingRoutes.revokeBinding, ({ principal, params, body }) =>
    revokeBindingById(context, principal, { bindingId: params.id, reason: body.reason ?? '' }),
  )
}
