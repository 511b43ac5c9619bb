import type { RunEstimate } from '@sandbox-jobs/contract/resources/runs/run-estimate.ts'
import type { RunWaitReason } from '@sandbox-jobs/contract/resources/runs/run-wait.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import { moneyText } from '../../billing/money.ts'
import { currencyOfPrices } from '../../billing/prices/currency.ts'
import type { RunnableVersion } from '../../tasks/menu/runnable.ts'
import { type Enqueued, LockedQueues } from './locked-queues.ts'
import { newRun, type SubmitDeps } from './submit-run.ts'
import { findTypicalRuns } from './typical-run-store.ts'

export interface EstimatedRun {
  chatroomId: string
  taskVersionId: string
  timeoutSeconds: number | undefined
}

/** The facts that need no place in the queue. */
type Typical = Pick<RunEstimate, 'timeout_seconds' | 'typical_cost' | 'typical_seconds'>

/**
 * Goes through a submission without its input, and queues nothing: the queue is looked at as it is, without its locks. Throws
 * `not_found`; every other refusal is part of the answer.
 */
export async function estimateRun(
  deps: SubmitDeps,
  principal: Principal,
  estimated: EstimatedRun,
): Promise<RunEstimate> {
  const { chatroomId, taskVersionId, timeoutSeconds } = estimated
  const resolve = await deps.runnables.resolveFor(principal, chatroomId, taskVersionId)
  let typical: Typical = { timeout_seconds: timeoutSeconds ?? 0, typical_cost: null, typical_seconds: null }
  try {
    const version = resolve()
    typical = await typicalOf(deps, version, timeoutSeconds ?? version.timeout_seconds)
    const body = { task_version_id: taskVersionId, timeout_seconds: typical.timeout_seconds }
    const run = await newRun(
      { ...deps, validateInput: acceptInput },
      { principal, chatroomId, body },
      { resolve: () => version, input: stageInput({}) },
    )
    const queues = await LockedQueues.look(deps.db, deps.policy, run)
    return await placed(deps, typical, queues.enqueue(run))
  } catch (error) {
    if (!(error instanceof CodedError) || error.code === 'not_found') throw error
    const message = typeof error.detail.message === 'string' ? error.detail.message : error.message
    return { ...typical, currency: null, hold: null, wait: null, refusals: [{ code: error.code, message }] }
  }
}

/** There is no input yet. */
const acceptInput = () => Promise.resolve()

async function typicalOf(
  { db }: Pick<SubmitDeps, 'db'>,
  { company_id: companyId, task_id: taskId, id: versionId }: RunnableVersion,
  timeout_seconds: number,
): Promise<Typical> {
  const { runs, p50, p95, cost_micro } = await findTypicalRuns(db, { companyId, taskId, versionId })
  return {
    timeout_seconds,
    typical_cost: cost_micro === null ? null : moneyText(cost_micro),
    typical_seconds: p50 === null || p95 === null ? null : { p50, p95, runs },
  }
}

async function placed(
  { db }: Pick<SubmitDeps, 'db'>,
  typical: Typical,
  { shown, charge }: Enqueued,
): Promise<RunEstimate> {
  return {
    ...typical,
    currency: charge ? await currencyOfPrices(db) : null,
    hold: charge ? moneyText(charge.heldMicro) : null,
    wait: {
      position: shown.queue_position,
      seconds: shown.eta_seconds,
      reason: shown.wait_reason as RunWaitReason,
    },
    refusals: [],
  }
}
