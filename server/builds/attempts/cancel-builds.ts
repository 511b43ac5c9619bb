import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import { buildAttemptMachine } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Trx } from '../../db/database.ts'
import { transition } from '../../db/transition.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { requireVersion } from '../../environments/versions/version-service.ts'
import { lockAttempt, lockWaitingAttempts } from './attempt-record-store.ts'
import { type BuildPath, readBuild } from './build-query-service.ts'
import { endLocked } from './claims/attempt-end-store.ts'

/** Ends a waiting build at once. A running build is marked, and its worker stops it at its next heartbeat. Repeating it is harmless. */
export async function cancelBuild(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<BuildAttempt> {
  await managedEnvironment(context.db, principal, 'environment.build', path.environmentId)
  await requireVersion(context.db, principal.companyId, path)
  await context.db.transaction().execute(async (trx) => {
    const attempt = await lockAttempt(trx, principal.companyId, path.attemptId)
    if (attempt?.environment_version_id !== path.versionId) throw notFound()
    if (attempt.terminal_at) throw new CodedError('not_cancellable')
    if (attempt.state === 'validation_queued') {
      await endLocked(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })
      return
    }
    await transition(trx, {
      table: 'build_attempts',
      machine: buildAttemptMachine,
      id: attempt.id,
      companyId: attempt.company_id,
      to: 'cancel_requested',
    })
  })
  return readBuild(context, principal, path)
}

/** Cancels the builds of an environment that no worker has started, in the transaction that archives it. Running builds go on. */
export async function endWaitingBuilds(
  trx: Trx,
  environment: { id: string; company_id: string | null },
): Promise<void> {
  for (const attempt of await lockWaitingAttempts(trx, environment)) {
    await endLocked(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' })
  }
}
