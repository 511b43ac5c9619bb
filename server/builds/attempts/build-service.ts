import type {
  BuildAttempt,
  BuildAttemptCreateRequest,
} from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { defaultRegion, regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { holdBuild } from '../../billing/holds/hold-build.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Trx } from '../../db/database.ts'
import { requireActive } from '../../environments/catalogue/environment.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import {
  type LockedVersion,
  lockManagedVersion,
  type VersionPath,
} from '../../environments/versions/version-service.ts'
import {
  countWaitingAttempts,
  findAttempt,
  findLatestAttempt,
  hasLiveAttempt,
} from './attempt-record-store.ts'
import { requireUnfenced } from './build-fence.ts'
import { buildLimits } from './build-limits.ts'
import { renderAttempt } from './build-query-service.ts'
import { enqueueBuild } from './enqueue-build.ts'

interface BuildOptions {
  region: string
  profile: BuildProfile
}

/** Queues a build of a version that was never built, or whose last build may be retried. */
export async function queueBuild(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  body: BuildAttemptCreateRequest,
): Promise<BuildAttempt> {
  const region = body.build_region ?? defaultRegion[context.deployment]
  const check = (version: LockedVersion) => {
    const retryable = version.state === 'retryable_failed' && version.retry_window_open
    if (version.state !== 'draft' && !retryable) throw new CodedError('build_not_eligible')
  }
  const options = { region, profile: body.build_profile ?? 'standard' }
  return queue(context, principal, path, {
    checkRequest: () => requireRegion(context, region),
    check,
    options: async () => options,
  })
}

/** Queues the build of a failed version again, with the options of its last build, within seven days of its last state change. */
export async function retryBuild(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<BuildAttempt> {
  return queue(context, principal, path, {
    checkRequest: () => {},
    check: (version) => {
      if (version.state === 'abandoned') throw new CodedError('retry_window_expired')
      if (version.state !== 'retryable_failed') throw new CodedError('retry_not_eligible')
      if (!version.retry_window_open) throw new CodedError('retry_window_expired')
    },
    options: async (trx) => {
      const last = await findLatestAttempt(trx, principal.companyId, path.versionId)
      // The deployment mode may have changed since.
      const isPublished = last && publishes(context, last.build_region)
      return {
        region: isPublished ? last.build_region : defaultRegion[context.deployment],
        profile: (last?.build_profile ?? 'standard') as BuildProfile,
      }
    },
  })
}

const publishes = (context: EnvironmentContext, region: string): boolean =>
  regionsOf(context.deployment).some(({ code }) => code === region)

function requireRegion(context: EnvironmentContext, region: string): void {
  if (!publishes(context, region)) throw new CodedError('build_region_unavailable')
}

interface QueueRules {
  /** Throws when the deployment cannot do what was requested. */
  checkRequest: () => void
  /** Throws when the version may not be built. */
  check: (version: LockedVersion) => void
  options: (trx: Trx) => Promise<BuildOptions>
}

/** Queues attempt and version in one transaction. The company's lock makes its limit exact. */
async function queue(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
  queueing: QueueRules,
): Promise<BuildAttempt> {
  await managedEnvironment(context.db, principal, 'environment.build', path.environmentId)
  await requireUnfenced(context)
  const id = newId('buildAttempt')
  const { companyId } = principal
  const attempt = await context.db.transaction().execute(async (trx) => {
    await lockCompany(trx, companyId, 'builds')
    const version = await lockManagedVersion(trx, companyId, path)
    queueing.checkRequest()
    if (await hasLiveAttempt(trx, companyId, version.id)) throw new CodedError('nonterminal_exists')
    queueing.check(version)
    // Archiving takes the same lock, so it also ends an attempt that is queued now.
    requireActive(await managedEnvironment(trx, principal, 'environment.build', path.environmentId))
    const { queuedBuildLimit: limit } = await companyPolicy(trx, companyId)
    if ((await countWaitingAttempts(trx, companyId)) >= limit) {
      throw new CodedError('sandbox_queued_build_limit', { limit })
    }
    await requireStorageQuota(trx, companyId, 0)
    const { region, profile } = await queueing.options(trx)
    const timeoutSeconds = buildLimits[profile].timeoutMs / 1000
    await holdBuild(trx, { id, companyId, region, profile, timeoutSeconds })
    await enqueueBuild(trx, {
      id,
      company_id: companyId,
      environment_version_id: version.id,
      build_region: region,
      build_profile: profile,
      raw_upload_digest: version.source_digest ?? '',
    })
    return findAttempt(trx, { companyId, ...path }, id)
  })
  if (!attempt) throw notFound()
  return renderAttempt(attempt, true)
}
