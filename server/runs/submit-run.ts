import type { ManualRunSubmitRequest, RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { CodedError } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Database, Trx } from '../db/database.ts'
import { getVersion, type RunnableVersion } from '../environments/ready-versions.ts'
import type { Directory, Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { type RunnableTaskVersion, resolveRunnable } from '../tasks/runnable.ts'
import { earlierAnswer, hashRequest, type Intent, once } from './idempotency.ts'
import { checkQueueDepth, countedDepth, type QueuePolicy } from './queue-policy.ts'
import { lockCompanyQueue, queueDepth } from './queue-store.ts'
import { renderRun } from './render-run.ts'
import { insertInput } from './run-content-store.ts'
import { type StagedInput, stageInput } from './run-input.ts'
import { insertRun, notify, queuedChannel } from './run-store.ts'
import { queueWaits } from './run-waits.ts'

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
  return once(deps.db, intent, (trx) => enqueue(trx, deps.policy, { submission, room, input, ...target }))
}

interface Target {
  runnable: RunnableTaskVersion
  environment: RunnableVersion
}

/** What is to be run, as it may be now and for that input. */
async function resolveTarget(deps: SubmitDeps, room: Room, body: Submission['body']): Promise<Target> {
  const runnable = await resolveRunnable(deps.db, room, body.task_version_id)
  const environment = await requireStartable(deps.db, runnable)
  await deps.validateInput(runnable.version, body.input)
  return { runnable, environment }
}

function intentOf({ principal, chatroomId, idempotencyKey, body }: Submission, input: StagedInput): Intent {
  const principalId = principal.apiKey?.id ?? principal.principalId
  return {
    scope: { companyId: principal.companyId, principalId, route, key: idempotencyKey },
    requestHash: hashRequest({
      route,
      chatroom_id: chatroomId,
      task_version_id: body.task_version_id,
      timeout_seconds: body.timeout_seconds ?? null,
      input_digest: input.digest,
    }),
  }
}

async function requireStartable(db: Database, runnable: RunnableTaskVersion): Promise<RunnableVersion> {
  const { company_id, environment_version_id } = runnable.version
  const environment = await getVersion(db, company_id, environment_version_id)
  const startable = environment?.security_state === 'clear' && environment.layer_digest !== null
  if (!environment || !startable) throw new CodedError('version_not_runnable')
  return environment
}

interface QueuedRun extends Target {
  submission: Submission
  room: Room
  input: StagedInput
}

async function enqueue(trx: Trx, policy: QueuePolicy, run: QueuedRun): Promise<RunDetail> {
  const { principal, body } = run.submission
  const { version } = run.runnable
  await lockCompanyQueue(trx, principal.companyId)
  checkQueueDepth(policy, await queueDepth(trx, principal.companyId, countedDepth(policy)))
  const row = await insertRun(trx, {
    id: newId('run'),
    company_id: principal.companyId,
    chatroom_id: run.room.id,
    task_id: version.task_id,
    task_version_id: version.id,
    environment_version_id: version.environment_version_id,
    share_grant_id: run.runnable.shareGrantId,
    resource_profile: run.environment.resource_profile,
    principal_type: principal.principalType,
    principal_id: principal.principalId,
    auth_method: principal.authMethod,
    api_key_id: principal.apiKey?.id ?? null,
    submission_source: 'rest',
    timeout_seconds: body.timeout_seconds ?? version.timeout_seconds,
    input_digest: run.input.digest,
  })
  await insertInput(trx, { run_id: row.id, company_id: row.company_id, content: run.input.content })
  await notify(trx, queuedChannel)
  const waits = await queueWaits(trx, policy, [row])
  return renderRun(row, waits.get(row.id))
}
