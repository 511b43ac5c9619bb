import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { QuickRun, QuickRunRequest } from '@sandbox-jobs/contract/resources/runs/quick-run.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { type StagedInput, stageInput } from '../../base/json/staged-input.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import type { Trx } from '../../db/database.ts'
import { hiddenContent, publishHidden } from '../../tasks/catalogue/hidden-task.ts'
import { requireReadyEnvironment } from '../../tasks/versions/ready-environment.ts'
import { isValidEnv } from '../model/ordinary-env.ts'
import { type AskedParts, lockParts } from './asked-parts.ts'
import { earlierResponse, hashRequest, type Intent, intentScope, once } from './idempotency.ts'
import type { NewRun } from './locked-queues.ts'
import { requireRegion, requireStartable } from './startable.ts'
import type { SubmitDeps } from './submit-run.ts'

export type QuickRunDeps = Pick<SubmitDeps, 'db' | 'directory' | 'policy' | 'queue'> & { clock: Clock }

export interface QuickRunCall {
  principal: Principal
  chatroomId: string
  idempotencyKey: string
  body: QuickRunRequest
  asked: AskedParts
  /** Destinations that the run may reach; absent: those of any run of the room. */
  allowList?: EgressAllowList | undefined
}

const route = 'POST /chatrooms/{chatroom_id}/quick-run'

/**
 * Creates a hidden task of the room, publishes its only version and queues a run of it, in one transaction with the
 * idempotency key: a refused request leaves no row (contract part 2, "Chatroom runs"). For managers of the room. The host's
 * queue bounds apply, the company's policy bound does not. Throws what asking for its parts and locking them throws.
 */
export async function quickRun(deps: QuickRunDeps, call: QuickRunCall): Promise<QuickRun> {
  const room = await deps.directory.requireRoom(call.principal, 'run.quick', call.chatroomId)
  const input = stageInput(call.body.input)
  const intent = intentOf(call, input)
  const earlier = await earlierResponse<QuickRun>(deps.db, intent)
  if (earlier) return withScripts(earlier, call.body)
  const queue = await checked(deps, call, { room, input })
  const answer = await once(deps.db, intent, async (trx) => withScripts(await queue(trx), {}))
  return withScripts(answer, call.body)
}

/**
 * The answer with the scripts of the request. It is stored without them, since they count to what the company keeps with the version
 * alone.
 */
const withScripts = (
  { version, ...answer }: QuickRun,
  { startup_script = '', work_script = '' }: Pick<QuickRunRequest, 'startup_script' | 'work_script'>,
): QuickRun => ({ ...answer, version: { ...version, startup_script, work_script } })

/** The same for callers that repeat nothing: neither a key nor the answer is kept. */
export async function quickRunOnce(
  deps: QuickRunDeps,
  call: Omit<QuickRunCall, 'idempotencyKey'>,
): Promise<QuickRun> {
  const room = await deps.directory.requireRoom(call.principal, 'run.quick', call.chatroomId)
  const input = stageInput(call.body.input)
  return deps.db.transaction().execute(await checked(deps, call, { room, input }))
}

/** Checks all but the bounds of the queue, and returns what queues the run within a transaction. */
async function checked(
  deps: QuickRunDeps,
  { principal, body, asked, allowList }: Omit<QuickRunCall, 'idempotencyKey'>,
  { room, input }: { room: Room; input: StagedInput },
): Promise<(trx: Trx) => Promise<QuickRun>> {
  const { companyId } = principal
  checkEnv(body.ordinary_env ?? {})
  const content = hiddenContent(body)
  const policy = await companyPolicy(deps.db, companyId)
  const limit = policy.timeoutCeilingSeconds
  if (body.timeout_seconds > limit) throw new CodedError('timeout_exceeds_ceiling', { limit })
  const { environment_version_id } = body
  const ready = await requireReadyEnvironment(deps.db, companyId, environment_version_id)
  const environment = requireStartable({ bundle_id: null }, ready)
  requireRegion(policy, deps.policy.deployment)
  const locks = await asked.want()
  return async (trx) => {
    const resourceProfile = environment.resource_profile
    const parts = await lockParts(trx, { principal, chatroomId: room.id, resourceProfile }, locks)
    for (const part of parts) part.requireFree?.()
    const made = await publishHidden(trx, {
      room,
      name: body.name,
      content,
      createdBy: principal.principalId,
      publishedAt: deps.clock.now(),
      allowList,
    })
    const run: NewRun = {
      principal,
      chatroomId: room.id,
      version: { id: made.version.id, task_id: made.task.id, environment_version_id },
      resourceProfile,
      shareGrantId: null,
      input,
      timeoutSeconds: body.timeout_seconds,
      source: 'quick_run',
    }
    return { ...made, run: await deps.queue.enqueueWithin(trx, run, parts) }
  }
}

function intentOf(
  { principal, chatroomId, idempotencyKey, body, asked }: QuickRunCall,
  input: StagedInput,
): Intent {
  return {
    scope: intentScope(principal, route, idempotencyKey),
    requestHash: hashRequest({
      route,
      chatroom_id: chatroomId,
      name: body.name,
      environment_version_id: body.environment_version_id,
      startup_script: body.startup_script ?? '',
      work_script: body.work_script ?? '',
      ordinary_env: body.ordinary_env ?? {},
      timeout_seconds: body.timeout_seconds,
      input_digest: input.digest,
      ...asked.described,
    }),
  }
}

/** Only quick runs check `ordinary_env` on submission (contract part 1, "Task version"). */
function checkEnv(env: Record<string, string>): void {
  if (isValidEnv(env, 0)) return
  throw invalid(['body', 'ordinary_env'], 'env_invalid', 'holds a name or a size that is not allowed')
}
