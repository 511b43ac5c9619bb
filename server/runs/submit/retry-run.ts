import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { RunDetail, RunRetryRequest } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { PreparedInput, type StagedInput, stageInput } from '../../base/json/staged-input.ts'
import { Rendered } from '../../base/rendered.ts'
import { sha256Of } from '../../base/sha256.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import type { Database } from '../../db/database.ts'
import { getVersion } from '../../environments/versions/ready-versions.ts'
import { type RunnableVersion, resolveHidden } from '../../tasks/menu/runnable.ts'
import type { RunAddress } from '../lookup/readable-run.ts'
import type { ShownRun } from '../model/run-row.ts'
import { findRun } from '../model/run-store.ts'
import { findInput } from '../results/run-content-store.ts'
import { askAgain } from './asked-parts.ts'
import { earlierResponse, hashRequest, type Intent, intentScope } from './idempotency.ts'
import { requireRegion, requireStartable } from './startable.ts'
import { checkOutputs, type SubmitDeps } from './submit-run.ts'

export interface Retry extends RunAddress {
  principal: Principal
  idempotencyKey: string
  body: RunRetryRequest
}

const route = 'POST /chatrooms/{chatroom_id}/runs/{run_id}/retry'

/**
 * Queues a new run of the caller with the version and timeout of an earlier run (contract part 2, "Chatroom runs", rule 3).
 * Without an input, or with an empty object, it gets the stored input of the earlier run unchanged, and in any case its files
 * and metadata, as long as they are kept: who may run it again need not be who may read them. It takes the session of the earlier
 * run as it is now, and only its owner may run it again. Throws `retry_not_eligible`, `retry_input_unavailable`,
 * and the errors of a submission.
 */
export async function retryRun(deps: SubmitDeps, retry: Retry): Promise<Rendered<RunDetail>> {
  const { principal, body } = retry
  const given = isReplay(body.input) ? undefined : stageInput(body.input)
  const room = await deps.directory.requireRoom(principal, 'run.retry', retry.chatroomId)
  const source = await findRun(deps.db, {
    companyId: principal.companyId,
    chatroomId: room.id,
    id: retry.runId,
  })
  if (!source) throw notFound()
  const intent = intentOf(retry, given)
  const earlier = await earlierResponse<RunDetail>(deps.db, intent)
  if (earlier) return new Rendered(earlier)
  if (source.terminal_at === null) throw new CodedError('retry_not_eligible')
  const { version, environment, ...target } = await resolveVersion(deps, { principal, room, source })
  const { resource_profile: resourceProfile } = requireStartable(version, environment)
  // A replayed input was validated against the same version when it was submitted.
  if (given) await deps.validateInput(version, given.content)
  await checkOutputs(deps, { principal, chatroomId: room.id, isAttended: true }, version)
  requireRegion(target, deps.policy.deployment)
  const input = given ?? (await retainedInput(deps.db, source))
  const run = {
    principal,
    chatroomId: room.id,
    version,
    resourceProfile,
    shareGrantId: target.shareGrantId,
    input,
    timeoutSeconds: source.timeout_seconds,
    source: 'rest',
    retryOfRunId: source.id,
  } as const
  return deps.queue.enqueue({ intent, run }, await askAgain(deps.db, source))
}

/** A missing input, null and `{}` all request the input of the source run. */
const isReplay = (input: unknown): boolean =>
  input == null || (isEmptyObject(input) && !(input instanceof PreparedInput))

const isEmptyObject = (input: unknown): boolean => isJsonObject(input) && Object.keys(input).length === 0

function intentOf(retry: Retry, given: StagedInput | undefined): Intent {
  return {
    scope: intentScope(retry.principal, route, retry.idempotencyKey),
    requestHash: hashRequest({
      route,
      chatroom_id: retry.chatroomId,
      run_id: retry.runId,
      input_digest: given?.digest ?? null,
    }),
  }
}

interface Target {
  version: Pick<
    RunnableVersion,
    | 'id'
    | 'task_id'
    | 'company_id'
    | 'environment_version_id'
    | 'bundle_id'
    | 'input_schema'
    | 'output_policy'
    | 'created_by'
    | 'published_by'
  >
  environment: RunnableVersion['environment']
  shareGrantId: string | null
  allowedRegions: readonly string[] | undefined
}

/** Resolves the version by a share, as for any submission. The version of a quick run belongs to its room, whose managers may run it again. */
async function resolveVersion(
  deps: SubmitDeps,
  { principal, room, source }: { principal: Principal; room: Room; source: ShownRun },
): Promise<Target> {
  const hidden = await resolveHidden(deps.db, room, source.task_version_id)
  if (!hidden) {
    const version = await deps.runnables.resolve(room.company_id, room.id, source.task_version_id)
    const { environment, shareGrantId, allowedRegions } = version
    return { version, environment, shareGrantId, allowedRegions }
  }
  await deps.directory.requireRoom(principal, 'run.retry_quick', room.id)
  const { allowedRegions } = await companyPolicy(deps.db, room.company_id)
  const environment = await getVersion(deps.db, room.company_id, hidden.environment_version_id)
  return { version: hidden, environment, shareGrantId: null, allowedRegions }
}

async function retainedInput(db: Database, source: ShownRun): Promise<StagedInput> {
  const content = await findInput(db, source)
  const digest = content && sha256Of(content)
  if (!content || digest !== source.input_digest) throw new CodedError('retry_input_unavailable')
  return { content, digest }
}
