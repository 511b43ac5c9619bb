import type { QuickRun, QuickRunRequest } from '@sandbox-jobs/contract/resources/quick-run.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/coded-error.ts'
import { invalid } from '../base/validation-error.ts'
import type { Principal } from '../platform/principal.ts'
import { companyPolicy } from '../settings/company-policy.ts'
import { hiddenContent, publishHidden } from '../tasks/hidden-task.ts'
import { requireReadyEnvironment } from '../tasks/ready-environment.ts'
import { enqueueRun } from './enqueue-run.ts'
import { earlierAnswer, hashRequest, type Intent, intentScope, once } from './idempotency.ts'
import { isValidEnv } from './ordinary-env.ts'
import { type StagedInput, stageInput } from './run-input.ts'
import { requireRegion, requireStartable } from './startable.ts'
import type { SubmitDeps } from './submit-run.ts'

export type QuickRunDeps = Pick<SubmitDeps, 'db' | 'directory' | 'policy'> & { clock: Clock }

export interface QuickRunCall {
  principal: Principal
  chatroomId: string
  idempotencyKey: string
  body: QuickRunRequest
}

const route = 'POST /chatrooms/{chatroom_id}/quick-run'

/**
 * Makes a hidden task of the room, publishes its one version and queues a run of it, all in one transaction with
 * the idempotency key: whatever is refused leaves nothing (contract part 2, "Chatroom runs"). For managers of the
 * room; the host's bounds of the queue hold, the company's policy bound does not.
 */
export async function quickRun(deps: QuickRunDeps, call: QuickRunCall): Promise<QuickRun> {
  const { principal, body } = call
  const { companyId } = principal
  const room = await deps.directory.requireRoomManager(principal, call.chatroomId)
  const input = stageInput(body.input)
  const intent = intentOf(call, input)
  const earlier = await earlierAnswer<QuickRun>(deps.db, intent)
  if (earlier) return earlier
  checkEnv(body.ordinary_env ?? {})
  const content = hiddenContent(body)
  const policy = await companyPolicy(deps.db, companyId)
  const limit = policy.timeoutCeilingSeconds
  if (body.timeout_seconds > limit) throw new CodedError('timeout_exceeds_ceiling', { limit })
  const { environment_version_id } = body
  const ready = await requireReadyEnvironment(deps.db, companyId, environment_version_id)
  const environment = requireStartable({ bundle_id: null }, ready)
  requireRegion(policy, deps.policy.deployment)
  return once(deps.db, intent, async (trx) => {
    const made = await publishHidden(trx, {
      room,
      name: body.name,
      content,
      createdBy: principal.principalId,
      publishedAt: deps.clock.now(),
    })
    const run = await enqueueRun(trx, deps.policy, {
      principal,
      chatroomId: room.id,
      version: { id: made.version.id, task_id: made.task.id, environment_version_id },
      resourceProfile: environment.resource_profile,
      shareGrantId: null,
      input,
      timeoutSeconds: body.timeout_seconds,
      source: 'quick_run',
    })
    return { ...made, run }
  })
}

function intentOf({ principal, chatroomId, idempotencyKey, body }: QuickRunCall, input: StagedInput): Intent {
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
    }),
  }
}

/** The one place that refuses `ordinary_env` when it comes (contract part 1, "Task version"). */
function checkEnv(env: Record<string, string>): void {
  if (isValidEnv(env, 0)) return
  throw invalid(['body', 'ordinary_env'], 'env_invalid', 'holds a name or a size that is not allowed')
}
