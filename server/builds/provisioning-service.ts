import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environment-version.ts'
import { provisionableVersionStates } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { CodedError } from '../base/coded-error.ts'
import { requireActive } from '../environments/environment.ts'
import { managedEnvironment } from '../environments/environment-access.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import { moveVersion } from '../environments/version-moves.ts'
import { lockManagedVersion, readVersion, type VersionPath } from '../environments/version-service.ts'
import type { Principal } from '../platform/principal.ts'
import { notifyBuilds } from './attempt-record-store.ts'
import { provisioningAskedChannel } from './provisioner.ts'

const eligible: readonly string[] = provisionableVersionStates

/**
 * Has the place that runs a built version look again at its image, and fetch it from the promoted copy if it lost its
 * own. The version is `regional_provisioning` until then, also when it was ready (contract part 1, "Shown moves").
 */
export async function retryProvisioning(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<EnvironmentVersion> {
  const environment = await managedEnvironment(context.db, principal, path.environmentId)
  await context.db.transaction().execute(async (trx) => {
    const version = await lockManagedVersion(trx, principal.companyId, path)
    if (!eligible.includes(version.state)) throw new CodedError('provisioning_retry_not_eligible')
    requireActive(environment)
    if (version.state !== 'regional_provisioning') {
      await moveVersion(trx, version, { to: 'regional_provisioning' })
    }
    await notifyBuilds(trx, provisioningAskedChannel, version.id)
  })
  return readVersion(context, principal, path)
}
