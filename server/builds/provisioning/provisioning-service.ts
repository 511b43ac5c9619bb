import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { provisionableVersionStates } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { requireActive } from '../../environments/catalogue/environment.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import {
  lockManagedVersion,
  readVersion,
  type VersionPath,
} from '../../environments/versions/version-service.ts'
import { transitionVersion } from '../../environments/versions/version-transitions.ts'
import { provisioningRequestedChannel } from '../provision-waiting.ts'

const eligible: readonly string[] = provisionableVersionStates

/**
 * Requests that the host checks the image of a built version again, and installs it from the promoted copy if it is missing.
 * Until then the version is `regional_provisioning`, even if it was ready (contract part 1, "Shown moves").
 */
export async function retryProvisioning(
  context: EnvironmentContext,
  principal: Principal,
  path: VersionPath,
): Promise<EnvironmentVersion> {
  const environment = await managedEnvironment(context.db, principal, 'environment.build', path.environmentId)
  await context.db.transaction().execute(async (trx) => {
    const version = await lockManagedVersion(trx, principal.companyId, path)
    if (!eligible.includes(version.state)) throw new CodedError('provisioning_retry_not_eligible')
    requireActive(environment)
    if (version.state !== 'regional_provisioning') {
      await transitionVersion(trx, version, { to: 'regional_provisioning' })
    }
    await notifyAfterCommit(trx, provisioningRequestedChannel, version.id)
  })
  return readVersion(context, principal, path)
}
