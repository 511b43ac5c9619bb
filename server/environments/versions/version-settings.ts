import type {
  BuildCache,
  VersionBuildCache,
} from '@sandbox-jobs/contract/resources/environments/version-build-cache.ts'
import {
  type Isolation,
  isolations,
  type VersionIsolation,
} from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import { runtimeOf, type SandboxRuntime } from '../../../agent/port/sandbox-spec.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { managedEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import type { VersionPath } from './version-service.ts'
import { changeVersion, findVersion } from './version-store.ts'

/** The isolation that the owner requests, and the one that runs of the version get in this deployment. */
export async function readVersionIsolation(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<VersionIsolation> {
  await managedEnvironment(context.db, principal, 'environment.change', path.environmentId)
  const version = await findVersion(context.db, { ...path, companyId: principal.companyId })
  if (!version) throw notFound()
  return { isolation: version.isolation, effective: effective(context, version.isolation) }
}

/** Applies from the next start of a run. The image of the version does not depend on it. */
export async function changeVersionIsolation(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  isolation: Isolation,
): Promise<VersionIsolation> {
  await managedEnvironment(context.db, principal, 'environment.change', path.environmentId)
  const isOffered = isolation === 'standard' || context.isolations.includes(isolation)
  if (!isOffered) throw new CodedError('isolation_unavailable')
  if (!(await changeVersion(context.db, { ...path, companyId: principal.companyId }, { isolation })))
    throw notFound()
  return { isolation, effective: effective(context, isolation) }
}

/**
 * If a deployment stops offering the requested isolation, runs of the version do not start: the executor refuses
 * them.
 */
function effective(
  { isolations: [weakest = 'standard'] }: EnvironmentContext,
  requested: Isolation,
): Isolation {
  return requested === 'standard' ? weakest : requested
}

/** Isolation levels of a deployment with these runtimes, weakest first. */
export const offeredIsolations = (runtimes: readonly SandboxRuntime[]): Isolation[] =>
  isolations.filter((isolation) => runtimes.includes(runtimeOf[isolation]))

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
