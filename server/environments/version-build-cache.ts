import type { BuildCache, VersionBuildCache } from '@sandbox-jobs/contract/resources/version-build-cache.ts'
import { notFound } from '../base/coded-error.ts'
import type { Principal } from '../platform/principal.ts'
import { managedEnvironment } from './environment-access.ts'
import type { EnvironmentContext } from './environment-context.ts'
import type { VersionPath } from './version-service.ts'
import { changeVersion, findVersion } from './version-store.ts'

export async function readVersionBuildCache(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<VersionBuildCache> {
  await managedEnvironment(context.db, principal, path.environmentId)
  const version = await findVersion(context.db, { ...path, companyId: principal.companyId })
  if (!version) throw notFound()
  return { cache: version.build_cache }
}

/** Holds from the next build of the version on. */
export async function changeVersionBuildCache(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  cache: BuildCache,
): Promise<VersionBuildCache> {
  await managedEnvironment(context.db, principal, path.environmentId)
  if (!(await changeVersion(context.db, { ...path, companyId: principal.companyId }, { build_cache: cache })))
    throw notFound()
  return { cache }
}
