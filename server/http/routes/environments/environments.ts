import { environmentOverviewRoutes } from '@sandbox-jobs/contract/routes/environment-overview-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { changeEnvironmentEgress, readEnvironmentEgress } from '../../../environments/catalogue/egress.ts'
import type { EnvironmentContext } from '../../../environments/catalogue/environment-context.ts'
import {
  archiveEnvironment,
  createEnvironment,
  listEnvironments,
  readEnvironment,
  updateEnvironment,
} from '../../../environments/catalogue/environment-service.ts'
import {
  archiveVersion,
  createVersion,
  listVersions,
  readVersion,
} from '../../../environments/versions/version-service.ts'
import {
  changeVersionBuildCache,
  changeVersionIsolation,
  readVersionBuildCache,
  readVersionIsolation,
} from '../../../environments/versions/version-settings.ts'
import { listEnvironmentOverviews } from '../../../tasks/catalogue/environment-overviews.ts'
import type { Mount } from '../../mount.ts'

/** Environments (contract part 2, "Environments, versions, builds") and the network access of their runs. */
export function mountEnvironmentRoutes(mount: Mount, context: EnvironmentContext): void {
  mount(environmentRoutes.listEnvironments, ({ principal, query }) =>
    listEnvironments(context, principal, query),
  )
  mount(environmentOverviewRoutes.listEnvironmentOverviews, ({ principal, query }) =>
    listEnvironmentOverviews(context, principal, query),
  )
  mount(environmentRoutes.createEnvironment, ({ principal, body, idempotencyKey }) =>
    createEnvironment(context, principal, body, idempotencyKey),
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

/**
 * Versions of an environment (contract part 2, "Environments, versions, builds"), the isolation of their runs, and
 * the cache of their builds.
 */
export function mountVersionRoutes(mount: Mount, context: EnvironmentContext): void {
  mount(environmentRoutes.listEnvironmentVersions, ({ principal, params, query }) =>
    listVersions(context, principal, params.id, query),
  )
  mount(environmentRoutes.createEnvironmentVersion, ({ principal, params, body }) =>
    createVersion(context, principal, params.id, body),
  )
  mount(environmentRoutes.readEnvironmentVersion, ({ principal, params }) =>
    readVersion(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.readVersionIsolation, ({ principal, params }) =>
    readVersionIsolation(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.changeVersionIsolation, ({ principal, params, body }) =>
    changeVersionIsolation(
      context,
      principal,
      { environmentId: params.id, versionId: params.vid },
      body.isolation,
    ),
  )
  mount(extensionRoutes.readVersionBuildCache, ({ principal, params }) =>
    readVersionBuildCache(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.changeVersionBuildCache, ({ principal, params, body }) =>
    changeVersionBuildCache(
      context,
      principal,
      { environmentId: params.id, versionId: params.vid },
      body.cache,
    ),
  )
  mount(environmentRoutes.archiveEnvironmentVersion, ({ principal, params }) =>
    archiveVersion(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
}
