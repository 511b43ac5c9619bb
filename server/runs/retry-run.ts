import { createHash } from 'node:crypto'
import type { RunDetail, RunRetryRequest } from '@sandbox-jobs/contract/resources/run.ts'
import { CodedError, notFound } from '../base/coded-error.ts'
import type { Database } from '../db/database.ts'
import type { Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { type RunnableTaskVersion, resolveHidden, resolveRunnable } from '../tasks/runnable.ts'
import { enqueueRun, requireStartable } from './enqueue-run.ts'
import { earlierAnswer, hashRequest, type Intent, intentScope, once } from './idempotency.ts'
import type { RunAddress } from './read-runs.ts'
import { findInput } from './run-content-store.ts'
import { type StagedInput, stageInput } from './run-input.ts'
import { findRun, type ShownRun } from './run-store.ts'
import type { SubmitDeps } from './submit-run.ts'

export interface Retry extends RunAddress {
  principal: Principal
  idempotencyKey: string
  body: RunRetryRequest
}

const route = 'POST /chatrooms/{chatroom_id}/runs/{run_id}/retry'

/**
 * Runs again what a run was: the same version for the same time, as a new run of the caller's (contract part 2,
 * "Chatroom runs", rule 3). Without an input it gets the stored bytes of the source, as they are. Throws
 * `retry_not_eligible`, `retry_input_unavailable`, and what a submission throws.
 */
export async function retryRun(deps: SubmitDeps, retry: Retry): Promise<RunDetail> {
  const { principal, body } = retry
  const given = body.input == null ? undefined : stageInput(body.input)
  const room = await deps.directory.requireRoomMember(principal, retry.chatroomId)
  const source = await findRun(deps.db, {
    companyId: principal.companyId,
    chatroomId: room.id,
    id: retry.runId,
  })
  if (!source) throw notFound()
  const intent = intentOf(retry, given)
  const earlier = await earlierAnswer<RunDetail>(deps.db, intent)
  if (earlier) return earlier
  if (source.terminal_at === null) throw new CodedError('retry_not_eligible')
  const { version, shareGrantId } = await resolveVersion(deps, { principal, room, source })
  const environment = await requireStartable(deps.db, version)
  // What is repeated was checked against the same version when it came.
  if (given) await deps.validateInput(version, body.input)
  const input = given ?? (await retainedInput(deps.db, source))
  return once(deps.db, intent, (trx) =>
    enqueueRun(trx, deps.policy, {
      principal,
      room,
      version,
      environment,
      shareGrantId,
      input,
      timeoutSeconds: source.timeout_seconds,
      source: 'rest',
      retryOfRunId: source.id,
    }),
  )
}

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

/** By a share, as for any submission; what a quick run made is its room's own and its managers' to run again. */
async function resolveVersion(
  deps: SubmitDeps,
  { principal, room, source }: { principal: Principal; room: Room; source: ShownRun },
): Promise<Pick<RunnableTaskVersion, 'version'> & { shareGrantId: string | null }> {
  const hidden = await resolveHidden(deps.db, room, source.task_version_id)
  if (!hidden) return resolveRunnable(deps.db, room, source.task_version_id)
  await deps.directory.requireRoomManager(principal, room.id)
  return { version: hidden, shareGrantId: null }
}

async function retainedInput(db: Database, source: ShownRun): Promise<StagedInput> {
  const content = await findInput(db, source)
  const digest = content && `sha256:${createHash('sha256').update(content).digest('hex')}`
  if (!content || digest !== source.input_digest) throw new CodedError('retry_input_unavailable')
  return { content, digest }
}
