import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import type { Insertable } from 'kysely'
import { CodedError } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { RunsTable } from '../db/tables/runs.ts'
import { getVersion, type RunnableVersion } from '../environments/ready-versions.ts'
import type { Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { companyPolicy, effectiveRegions } from '../settings/company-policy.ts'
import { requireBundleRunner } from '../tasks/bundle-runner.ts'
import { checkQueueDepth, countedDepth, type QueuePolicy, queueBounds } from './queue-policy.ts'
import { lockCompanyQueue, queueDepth } from './queue-store.ts'
import { renderRun } from './render-run.ts'
import type { StagedInput } from './run-input.ts'
import { insertRun } from './run-store.ts'
import { queueWaits } from './run-waits.ts'

/** A run that everything was decided about but whether the queue has a place for it. */
export interface NewRun {
  principal: Principal
  room: Room
  version: { id: string; task_id: string; environment_version_id: string }
  environment: RunnableVersion
  /** What lent the version to the room; null for the room's own quick runs. */
  shareGrantId: string | null
  input: StagedInput
  timeoutSeconds: number
  source: RunsTable['submission_source']
  /** Empty when the run is not a retry. */
  retryOfRunId?: string
}

/**
 * Queues a run in the transaction of its idempotency key. Throws `no_active_region`, 429 `sandbox_queued_run_limit`
 * or `queue_full`.
 */
export async function enqueueRun(trx: Trx, policy: QueuePolicy, run: NewRun): Promise<RunDetail> {
  const { principal, version, input } = run
  const regions = effectiveRegions(await companyPolicy(trx, principal.companyId), policy.deployment)
  if (regions.length === 0) throw new CodedError('no_active_region')
  await lockCompanyQueue(trx, principal.companyId)
  const bounds = queueBounds(policy, run.source)
  checkQueueDepth(bounds, await queueDepth(trx, principal.companyId, countedDepth(bounds)))
  const queued: Insertable<RunsTable> = {
    id: newId('run'),
    company_id: principal.companyId,
    chatroom_id: run.room.id,
    task_id: version.task_id,
    task_version_id: version.id,
    environment_version_id: version.environment_version_id,
    share_grant_id: run.shareGrantId,
    resource_profile: run.environment.resource_profile,
    principal_type: principal.principalType,
    principal_id: principal.principalId,
    auth_method: principal.authMethod,
    api_key_id: principal.apiKey?.id ?? null,
    submission_source: run.source,
    timeout_seconds: run.timeoutSeconds,
    input_digest: input.digest,
    retry_of_run_id: run.retryOfRunId ?? '',
  }
  const row = await insertRun(trx, queued, input.content)
  const waits = await queueWaits(trx, policy, [row])
  return renderRun(row, waits.get(row.id))
}

/**
 * The environment version a run stands on. Throws `version_not_runnable` when it is blocked or has no image, and
 * `task_bundle_runner_unsupported` when its runner delivers no bundles and the version has one.
 */
export async function requireStartable(
  db: Executing,
  version: { company_id: string; environment_version_id: string; bundle_id: string | null },
): Promise<RunnableVersion> {
  const environment = await getVersion(db, version.company_id, version.environment_version_id)
  const startable = environment?.security_state === 'clear' && environment.layer_digest !== null
  if (!environment || !startable) throw new CodedError('version_not_runnable')
  requireBundleRunner(version, environment)
  return environment
}
