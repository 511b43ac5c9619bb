import {
  onPremisesCompanyQueueLimitDefault,
  onPremisesFleetQueueLimitDefault,
  queuedRunLimitDefault,
  queueFullRetryAfterSeconds,
  runConcurrencyDefault,
} from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../base/coded-error.ts'
import type { QueueDepth } from './queue-store.ts'

export type Deployment = 'onprem' | 'hosted'

/** Bounds of the queue (contract part 1, "Limits"). */
export interface QueuePolicy {
  deployment: Deployment
  /** Live runs of one company. */
  companyConcurrency: number
  /** Queued runs of one company. */
  companyQueued: number
  /** Queued runs of everyone; hosted deployments have no such bound. */
  fleetQueued: number | null
  /** Runs that the workers carry at once, for the estimate of a wait. */
  fleetSlots: number
}

export const queuePolicy = (deployment: Deployment, fleetSlots: number): QueuePolicy => ({
  deployment,
  companyConcurrency: runConcurrencyDefault,
  companyQueued:
    deployment === 'onprem'
      ? Math.min(onPremisesCompanyQueueLimitDefault, queuedRunLimitDefault)
      : queuedRunLimitDefault,
  fleetQueued: deployment === 'onprem' ? onPremisesFleetQueueLimitDefault : null,
  fleetSlots,
})

/** Most that has to be counted to decide. */
export const countedDepth = (policy: QueuePolicy): QueueDepth => ({
  company: policy.companyQueued,
  fleet: policy.fleetQueued ?? 0,
})

/** Throws 429 `sandbox_queued_run_limit` or `queue_full`. */
export function checkQueueDepth(policy: QueuePolicy, depth: QueueDepth): void {
  if (depth.company >= policy.companyQueued) {
    throw new CodedError('sandbox_queued_run_limit', { limit: policy.companyQueued })
  }
  if (policy.fleetQueued !== null && depth.fleet >= policy.fleetQueued) {
    throw new CodedError('queue_full', {
      limit: policy.fleetQueued,
      retry_after_seconds: queueFullRetryAfterSeconds,
    })
  }
}
