import {
  onPremisesCompanyQueueLimitDefault,
  onPremisesFleetQueueLimitDefault,
  queuedRunLimitDefault,
  queueFullRetryAfterSeconds,
  runConcurrencyDefault,
} from '@sandbox-jobs/contract/limits.ts'
import type { SubmissionSource } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { RunCapacity } from '../../capacity/run-capacity.ts'
import type { QueueDepth } from './queue-store.ts'

export type Deployment = 'onprem' | 'hosted'

/** Bounds of the queue (contract part 1, "Limits"). */
export interface QueuePolicy {
  deployment: Deployment
  /** Live runs of one company. */
  companyConcurrency: number
  /** Maximum queued runs of one company by its policy. */
  companyQueued: number
  /** Maximum queued runs of one company and of all companies on this host. Null for hosted deployments. */
  host: { companyQueued: number; fleetQueued: number } | null
  /** Of one executor by the settings, shared by the runs of all companies. */
  capacity: RunCapacity
}

export const queuePolicy = (deployment: Deployment, capacity: RunCapacity): QueuePolicy => ({
  deployment,
  companyConcurrency: runConcurrencyDefault,
  companyQueued: queuedRunLimitDefault,
  host:
    deployment === 'onprem'
      ? { companyQueued: onPremisesCompanyQueueLimitDefault, fleetQueued: onPremisesFleetQueueLimitDefault }
      : null,
  capacity,
})

/** The bounds for one submission; null: no bound. */
export interface QueueBounds {
  company: number | null
  fleet: number | null
}

/** A quick run is bounded by the host only; any other submission by the smaller of host and policy. */
export function queueBounds({ companyQueued, host }: QueuePolicy, source: SubmissionSource): QueueBounds {
  const policyBound = source === 'quick_run' ? [] : [companyQueued]
  const companyBounds = host ? [host.companyQueued, ...policyBound] : policyBound
  return {
    company: companyBounds.length > 0 ? Math.min(...companyBounds) : null,
    fleet: host?.fleetQueued ?? null,
  }
}

/** The maximum depth that must be counted to decide. */
export const countedDepth = (bounds: QueueBounds): QueueDepth => ({
  company: bounds.company ?? 0,
  fleet: bounds.fleet ?? 0,
})

/** Throws 429 `sandbox_queued_run_limit` or `queue_full`. */
export function checkQueueDepth(bounds: QueueBounds, depth: QueueDepth): void {
  if (bounds.company !== null && depth.company >= bounds.company) {
    throw new CodedError('sandbox_queued_run_limit', { limit: bounds.company })
  }
  if (bounds.fleet !== null && depth.fleet >= bounds.fleet) {
    throw new CodedError('queue_full', {
      limit: bounds.fleet,
      retry_after_seconds: queueFullRetryAfterSeconds,
    })
  }
}
