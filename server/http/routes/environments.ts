import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import type { EnvironmentContext } from '../../environments/environment-context.ts'
import {
  archiveEnvironment,
  createEnvironment,
  listEnvironments,
  readEnvironment,
  updateEnvironment,
} from '../../environments/environment-service.ts'
import type { Mount } from '../mount.ts'

/** Environments themselves (contract part 2, "Environments, versions, builds"). */
export function mountEnvironmentRoutes(mount: Mount, context: EnvironmentContext): void {
  mount(environmentRoutes.listEnvironments, ({ principal, query }) =>
    listEnvironments(context, principal, query),
  )
  mount(environmentRoutes.createEnvironment, ({ principal, body }) =>
    createEnvironment(context, principal, body),
  )
  mount(environmentRoutes.readEnvironment, ({ principal, params }) =>
    readEnvironment(context, principal, params.id),
  )
  mount(environmentRoutes.updateEnvironment, ({ principal, params, body }) =>
    updateEnvironment(context, principal, params.id, body),
  )
  mount(environmentRoutes.archiveEnvironment, ({ principal, params }) =>
    archiveEnvironment(context, principal, params.id),
  )
}
