import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import type { EnvironmentContext } from '../../../environments/catalogue/environment-context.ts'
import {
  changeEnvironmentEgress,
  readEnvironmentEgress,
} from '../../../environments/catalogue/environment-egress.ts'
import {
  archiveEnvironment,
  createEnvironment,
  listEnvironments,
  readEnvironment,
  updateEnvironment,
} from '../../../environments/catalogue/environment-service.ts'
import type { Mount } from '../../mount.ts'

/** Environments (contract part 2, "Environments, versions, builds") and the network access of their runs. */
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
  mount(extensionRoutes.readEnvironmentEgress, ({ principal, params }) =>
    readEnvironmentEgress(context, principal, params.id),
  )
  mount(extensionRoutes.changeEnvironmentEgress, ({ principal, params, body }) =>
    changeEnvironmentEgress(context, principal, { id: params.id, allowList: body.allow_list }),
  )
}
