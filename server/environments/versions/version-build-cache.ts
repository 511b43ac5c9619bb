import type {
  BuildCache,
  VersionBuildCache,
} from '@sandbox-jobs/contract/resources/environments/version-build-cache.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { managedEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import type { VersionPath } from './version-service.ts'
import { changeVersion, findVersion } from './version-store.ts'

export async function readVersionBuildCache(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<VersionBuildCache> {
  await managedEnvironment(context.db, principal, 'environment.change', path.environmentId)
  const version = await findVersion(context.db, { ...path, companyId: principal.companyId })
  if (!version) throw notFound()
  return { cache: version.build_cache }
}

/** Applies from the next build of the version. */
export async function changeVersionBuildCache(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  cache: BuildCache,
): Promise<VersionBuildCache> {
  await managedEnvironment(context.db, principal, 'environment.change', path.environmentId)
  if (!(await changeVersion(context.db, { ...path, companyId: principal.companyId }, { build_cache: cache })))
    throw notFound()
  return { cache }
}
