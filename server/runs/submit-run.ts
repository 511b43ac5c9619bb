import type { ManualRunSubmitRequest, RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { Rendered } from '../base/rendered.ts'
import type { Database } from '../db/database.ts'
import type { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import type { Runnables, RunnableVersion } from '../tasks/runnable.ts'
import { earlierAnswer, hashRequest, type Intent, intentScope } from './idempotency.ts'
import type { NewRun } from './open-queue.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type StagedInput, stageInput } from './run-input.ts'
import { requireRegion, requireStartable } from './startable.ts'
import type { SubmissionQueue } from './submission-queue.ts'

type ValidateInput = (
  version: Pick<RunnableVersion, 'company_id' | 'input_schema'>,
  input: unknown,
) => Promise<void>

export interface SubmitDeps {
  db: Database
  directory: Directory
  runnables: Runnables
  queue: SubmissionQueue
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
 * the share and the version, the schema, the limits. A repeated key gets its first answer to a caller who is still in
 * the room.
 */
export async function submitRun(deps: SubmitDeps, submission: Submission): Promise<Rendered<RunDetail>> {
  const { principal, chatroomId, body } = submission
  const input = stageInput(body.input)
  const resolve = await deps.runnables.resolveFor(principal, chatroomId, body.task_version_id)
  const intent = intentOf(submission, input)
  const run = await newRun(deps, submission, { resolve, input }).catch(async (error: unknown) => {
    // What may not be run any more may have been submitted under this key while it could.
    const earlier = await earlierAnswer<RunDetail>(deps.db, intent)
    if (!earlier) throw error
    return earlier
  })
  return 'status' in run ? new Rendered(run) : deps.queue.enqueue({ intent, run })
}

/** What is to be queued, if it may be run now and with that input. */
async function newRun(
  deps: SubmitDeps,
  { principal, chatroomId, body }: Submission,
  { resolve, input }: { resolve: () => RunnableVersion; input: StagedInput },
): Promise<NewRun> {
  const version = resolve()
  const environment = requireStartable(version, version.environment)
  await deps.validateInput(version, body.input)
  requireRegion(version, deps.policy.deployment)
  return {
    principal,
    chatroomId,
    version,
    resourceProfile: environment.resource_profile,
    shareGrantId: version.shareGrantId,
    input,
    timeoutSeconds: body.timeout_seconds ?? version.timeout_seconds,
    source: 'rest',
  }
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
