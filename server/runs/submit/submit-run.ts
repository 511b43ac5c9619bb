import type { ManualRunSubmitRequest, RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { type StagedInput, stageInput } from '../../base/json/staged-input.ts'
import { Rendered } from '../../base/rendered.ts'
import {
  checkSubmittedPolicy,
  type OutputPolicyDeps,
  type SubmittedRun,
} from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import type { Runnables, RunnableVersion } from '../../tasks/menu/runnable.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { type AskedParts, nothingAsked } from './asked-parts.ts'
import { earlierResponse, hashRequest, type Intent, intentScope } from './idempotency.ts'
import type { NewRun } from './locked-queues.ts'
import { requireRegion, requireStartable, requireUnattended, type Unattended } from './startable.ts'
import type { SubmissionQueue } from './submission-queue.ts'

type ValidateInput = (
  version: Pick<RunnableVersion, 'id' | 'company_id' | 'input_schema'>,
  input: Buffer,
) => Promise<void>

export interface SubmitDeps {
  db: Database
  directory: Directory
  runnables: Runnables
  queue: SubmissionQueue
  policy: QueuePolicy
  /** Throws `input_schema_violation`. */
  validateInput: ValidateInput
  outputs: OutputPolicyDeps
}

export interface Submission {
  principal: Principal
  chatroomId: string
  idempotencyKey: string
  body: ManualRunSubmitRequest
  /** Default: rest. */
  source?: 'rest' | 'agent'
}

const routes = { rest: 'POST /chatrooms/{chatroom_id}/runs', agent: 'sandbox_submit_job' }

/**
 * Queues one manual run, or one of an agent (contract part 2, "Chatroom runs"). The checks are in the contract's order: form
 * of the input, room, share and version, schema, limits. A repeated key returns the first response if the caller is still in
 * the room.
 */
export async function submitRun(
  deps: SubmitDeps,
  submission: Submission,
  asked: AskedParts = nothingAsked,
): Promise<Rendered<RunDetail>> {
  const input = stageInput(submission.body.input)
  const resolve = await resolveVersion(deps, submission)
  const intent = intentOf(submission, input, asked)
  const planned = await planWithParts().catch(async (error: unknown) => {
    // The version may have been submitted under this key while it could still be run.
    const earlier = await earlierResponse<RunDetail>(deps.db, intent)
    if (!earlier) throw error
    return earlier
  })
  return 'status' in planned
    ? new Rendered(planned)
    : deps.queue.enqueue({ intent, run: planned.run }, planned.locks)

  async function planWithParts() {
    const run = await newRun(deps, submission, { resolve, input })
    return { run, locks: await asked.want() }
  }
}

/**
 * The run to queue, if the principal may submit it now with that input: for who queues it in a larger transaction. Throws
 * what a submission throws before the queue is looked at.
 */
export async function planRun(deps: SubmitDeps, submission: Planned, input: StagedInput): Promise<NewRun> {
  return newRun(deps, submission, { resolve: await resolveVersion(deps, submission), input })
}

type Planned = Pick<Submission, 'principal' | 'chatroomId'> & {
  source?: 'rest' | 'agent' | 'custom_table_trigger'
  /** Set where nobody asks for the run. */
  unattended?: Unattended
  body: Omit<ManualRunSubmitRequest, 'input'>
}

const resolveVersion = (deps: SubmitDeps, { principal, chatroomId, body }: Planned) =>
  deps.runnables.resolveFor(principal, chatroomId, body.task_version_id)

/** The run to queue, if the version may be run now with that input. */
export async function newRun(
  deps: SubmitDeps,
  { principal, chatroomId, body, source = 'rest', unattended }: Planned,
  { resolve, input }: { resolve: () => RunnableVersion; input: StagedInput },
): Promise<NewRun> {
  const version = resolve()
  if (unattended) requireUnattended(version, unattended)
  const environment = requireStartable(version, version.environment)
  await deps.validateInput(version, input.content)
  await checkOutputs(deps, { principal, chatroomId, isAttended: unattended === undefined }, version)
  requireRegion(version, deps.policy.deployment)
  return {
    principal,
    chatroomId,
    version,
    resourceProfile: environment.resource_profile,
    shareGrantId: version.shareGrantId,
    input,
    timeoutSeconds: body.timeout_seconds ?? version.timeout_seconds,
    source,
  }
}

/** Throws the refusal of the version's output policy. */
export const checkOutputs = (
  deps: Pick<SubmitDeps, 'outputs'>,
  run: SubmittedRun,
  { output_policy: policy, created_by: author, published_by }: VersionWithPolicy,
): Promise<void> =>
  checkSubmittedPolicy(deps.outputs, run, { policy, author, publisher: published_by ?? author })

type VersionWithPolicy = Pick<RunnableVersion, 'output_policy' | 'created_by' | 'published_by'>

function intentOf(
  { principal, chatroomId, idempotencyKey, body, source = 'rest' }: Submission,
  input: StagedInput,
  { described }: AskedParts,
): Intent {
  const route = routes[source]
  return {
    scope: intentScope(principal, route, idempotencyKey),
    requestHash: hashRequest({
      route,
      chatroom_id: chatroomId,
      task_version_id: body.task_version_id,
      timeout_seconds: body.timeout_seconds ?? null,
      input_digest: input.digest,
      ...described,
    }),
  }
}
