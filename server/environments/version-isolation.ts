import type { Isolation, VersionIsolation } from '@sandbox-jobs/contract/resources/version-isolation.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Principal } from '../platform/principal.ts'
import { managedEnvironment } from './environment-access.ts'
import type { EnvironmentContext } from './environment-context.ts'
import type { VersionPath } from './version-service.ts'
import { changeVersion, findVersion } from './version-store.ts'

/** What the owner asks for, and what the version's runs get in this deployment. */
export async function readVersionIsolation(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<VersionIsolation> {
  await managedEnvironment(context.db, principal, path.environmentId)
  const version = await findVersion(context.db, { ...path, companyId: principal.companyId })
  if (!version) throw notFound()
  return { isolation: version.isolation, effective: effective(context, version.isolation) }
}

/** Holds from the next start of a run on; the version's image is the same under either. */
export async function changeVersionIsolation(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  isolation: Isolation,
): Promise<VersionIsolation> {
  await managedEnvironment(context.db, principal, path.environmentId)
  const isOffered = isolation === 'standard' || context.isolations.includes(isolation)
  if (!isOffered) throw new CodedError('isolation_unavailable')
  if (!(await changeVersion(context.db, { ...path, companyId: principal.companyId }, { isolation })))
    throw notFound()
  return { isolation, effective: effective(context, isolation) }
}

/** Where a deployment stops offering what a version asks for, its runs do not start: the executor refuses them. */
function effective({ isolations: [weakest = 'standard'] }: EnvironmentContext, asked: Isolation): Isolation {
  return asked === 'standard' ? weakest : asked
}
