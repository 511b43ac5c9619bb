import type { RunDetail, RunRetryRequest } from '@sandbox-jobs/contract/resources/run.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import { Rendered } from '../base/rendered.ts'
import { sha256Of } from '../base/sha256.ts'
import type { Database } from '../db/database.ts'
import { getVersion } from '../environments/ready-versions.ts'
import type { Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { companyPolicy } from '../settings/company-policy.ts'
import { type RunnableVersion, resolveHidden } from '../tasks/runnable.ts'
import { earlierAnswer, hashRequest, type Intent, intentScope } from './idempotency.ts'
import type { RunAddress } from './read-runs.ts'
import { findInput } from './run-content-store.ts'
import { type StagedInput, stageInput } from './run-input.ts'
import { findRun, type ShownRun } from './run-store.ts'
import { requireRegion, requireStartable } from './startable.ts'
import type { SubmitDeps } from './submit-run.ts'

export interface Retry extends RunAddress {
  principal: Principal
  idempotencyKey: string
  body: RunRetryRequest
}

const route = 'POST /chatrooms/{chatroom_id}/runs/{run_id}/retry'

/**
 * Runs again what a run was: the same version for the same time, as a new run of the caller's (contract part 2,
 * "Chatroom runs", rule 3). Without an input, or with an empty object, it gets the stored bytes of the source, as they are. Throws
 * `retry_not_eligible`, `retry_input_unavailable`, and what a submission throws.
 */
export async function retryRun(deps: SubmitDeps, retry: Retry): Promise<Rendered<RunDetail>> {
  const { principal, body } = retry
  const given = isReplay(body.input) ? undefined : stageInput(body.input)
  const room = await deps.directory.requireRoomMember(principal, retry.chatroomId)
  const source = await findRun(deps.db, {
    companyId: principal.companyId,
    chatroomId: room.id,
    id: retry.runId,
  })
  if (!source) throw notFound()
  const intent = intentOf(retry, given)
  const earlier = await earlierAnswer<RunDetail>(deps.db, intent)
  if (earlier) return new Rendered(earlier)
  if (source.terminal_at === null) throw new CodedError('retry_not_eligible')
  const { version, environment, ...target } = await resolveVersion(deps, { principal, room, source })
  const { resource_profile: resourceProfile } = requireStartable(version, environment)
  // What is repeated was checked against the same version when it came.
  if (given) await deps.validateInput(version, body.input)
  requireRegion(target, deps.policy.deployment)
  const input = given ?? (await retainedInput(deps.db, source))
  return deps.queue.enqueue({
    intent,
    run: {
      principal,
      chatroomId: room.id,
      version,
      resourceProfile,
      shareGrantId: target.shareGrantId,
      input,
      timeoutSeconds: source.timeout_seconds,
      source: 'rest',
      retryOfRunId: source.id,
    },
  })
}

/** Left out, null and `{}` all ask for what the source had. */
const isReplay = (input: unknown): boolean =>
  input == null || (typeof input === 'object' && !Array.isArray(input) && Object.keys(input).length === 0)

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
    'id' | 'task_id' | 'company_id' | 'environment_version_id' | 'bundle_id' | 'input_schema'
  >
  environment: RunnableVersion['environment']
  shareGrantId: string | null
  allowedRegions: readonly string[] | undefined
}

/** By a share, as for any submission; what a quick run made is its room's own and its managers' to run again. */
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
  await deps.directory.requireRoomManager(principal, room.id)
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
