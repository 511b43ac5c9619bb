import type { ManualRunSubmitRequest, RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import type { Database } from '../db/database.ts'
import type { RunnableVersion } from '../environments/ready-versions.ts'
import type { Directory, Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { type RunnableTaskVersion, resolveRunnable } from '../tasks/runnable.ts'
import { enqueueRun, requireStartable } from './enqueue-run.ts'
import { earlierAnswer, hashRequest, type Intent, intentScope, once } from './idempotency.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type StagedInput, stageInput } from './run-input.ts'

type ValidateInput = (version: RunnableTaskVersion['version'], input: unknown) => Promise<void>

export interface SubmitDeps {
  db: Database
  directory: Directory
  policy: QueuePolicy
  /** Throws `input_schema_violation`. */
  validateInput: ValidateInput
}

export interface Submission {
  principal: Principal
  chatroomId: string
  idempotencyKey: string
  body: ManualRunSubmitRequest
}

const route = 'POST /chatrooms/{chatroom_id}/runs'

/**
 * Queues one manual run (contract part 2, "Chatroom runs"). The order is the contract's: the input's own form, the room,
 * the share and the version, the schema, the limits; then everything in one transaction. A repeated key gets its first
 * answer to a caller who is still in the room.
 */
export async function submitRun(deps: SubmitDeps, submission: Submission): Promise<RunDetail> {
  const { principal, body } = submission
  const input = stageInput(body.input)
  const room = await deps.directory.requireRoomMember(principal, submission.chatroomId)
  const intent = intentOf(submission, input)
  const target = await resolveTarget(deps, room, body).catch(async (error: unknown) => {
    // What may not be run any more may have been submitted under this key while it could.
    const earlier = await earlierAnswer<RunDetail>(deps.db, intent)
    if (!earlier) throw error
    return earlier
  })
  if ('status' in target) return target
  const { version, shareGrantId } = target.runnable
  return once(deps.db, intent, (trx) =>
    enqueueRun(trx, deps.policy, {
      principal,
      room,
      version,
      environment: target.environment,
      shareGrantId,
      input,
      timeoutSeconds: body.timeout_seconds ?? version.timeout_seconds,
      source: 'rest',
    }),
  )
}

interface Target {
  runnable: RunnableTaskVersion
  environment: RunnableVersion
}

/** What is to be run, as it may be now and for that input. */
async function resolveTarget(deps: SubmitDeps, room: Room, body: Submission['body']): Promise<Target> {
  const runnable = await resolveRunnable(deps.db, room, body.task_version_id)
  const environment = await requireStartable(deps.db, runnable.version)
  await deps.validateInput(runnable.version, body.input)
  return { runnable, environment }
}

function intentOf({ principal, chatroomId, idempotencyKey, body }: Submission, input: StagedInput): Intent {
  return {
    scope: intentScope(principal, route, idempotencyKey),
    requestHash: hashRequest({
      route,
      chatroom_id: chatroomId,
      task_version_id: body.task_version_id,
      timeout_seconds: body.timeout_seconds ?? null,
      input_digest: input.digest,
    }),
  }
}
