import { defaultProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RunWaitReason } from '@sandbox-jobs/contract/resources/runs/run-wait.ts'
import { memoryOfRun, type RunCapacity, shortRunSeconds, totalCapacity } from '../../capacity/run-capacity.ts'
import type { Executing } from '../../db/database.ts'
import type { ShownRun } from '../model/run-row.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type CapacityInUse, type QueueView, queueView } from './queue-store.ts'

/** Why and how long a queued run waits. */
export interface QueueWait {
  reason: RunWaitReason
  /** 1 is next; null if the queue is too long to count. */
  position: number | null
  /** Null without earlier runs to estimate from. */
  etaSeconds: number | null
}

/** The wait of each queued row, by run id. */
export async function queueWaits(
  db: Executing,
  policy: QueuePolicy,
  rows: readonly ShownRun[],
): Promise<Map<string, QueueWait>> {
  const runs = rows.filter((row) => row.state === 'queued')
  if (runs.length === 0) return new Map()
  const views = await queueView(db, { runs, withinCompany: policy.deployment === 'hosted' })
  return new Map(views.map((view) => [view.id, waitOf(policy, view)]))
}

export function waitOf(policy: QueuePolicy, view: Omit<QueueView, 'id'>): QueueWait {
  return {
    reason: reasonOf(policy, view),
    position: view.place,
    etaSeconds: estimate(policy, view),
  }
}

/** The rules of a claim (`admission-store.ts`) as the wait reasons of the contract. */
function reasonOf(policy: QueuePolicy, view: Omit<QueueView, 'id'>): RunWaitReason {
  const capacity = capacityOf(policy, view)
  const { slots, reserved, reservedForShort, memoryMib, reservedMemoryMib } = capacity
  const isFirst = view.company_live === 0
  const isShort = view.timeout_seconds <= shortRunSeconds
  const isOverBound = view.timeout_seconds > (view.run_timeout_bound_seconds ?? Number.POSITIVE_INFINITY)
  if (view.waits_for_session) return 'session_in_use'
  if (view.company_live >= companySlots(policy, view) || (isOverBound && view.has_run_over_bound)) {
    return 'company_saturated'
  }
  const keptSlots = isFirst ? (isShort ? 0 : reservedForShort) : reserved
  const isSmall = view.resource_profile === defaultProfile
  const keptMib = isFirst && isShort && isSmall ? 0 : reservedMemoryMib + view.fleet_reserved_mib
  const memory = view.fleet_memory_mib + memoryOfRun(capacity, view.resource_profile)
  const isFull = view.fleet_live >= slots - keptSlots || memory > memoryMib - keptMib
  return isFull ? 'provider_capacity_exhausted' : 'awaiting_dispatch'
}

/** Of all executors that may claim; while there are none, of one as the settings say. */
const capacityOf = (
  { capacity }: QueuePolicy,
  { fleet_capacity: parts }: Pick<CapacityInUse, 'fleet_capacity'>,
): RunCapacity => (parts ? totalCapacity(parts) : capacity)

/** Slots that the company may use at once. */
function companySlots(
  policy: QueuePolicy,
  view: Pick<CapacityInUse, 'run_concurrency_limit' | 'fleet_capacity'>,
): number {
  const { slots, reserved } = capacityOf(policy, view)
  return Math.min(view.run_concurrency_limit ?? policy.companyConcurrency, slots - reserved)
}

/**
 * Rounds of the slots that other companies do not hold, up to and including this run's, each as long as recent runs took.
 * A hosted deployment does not know its slots and reports no estimate (contract part 1, "Run").
 */
function estimate(policy: QueuePolicy, view: Omit<QueueView, 'id'>): number | null {
  const { place, mean_seconds: meanSeconds } = view
  if (policy.deployment === 'hosted' || place === null || meanSeconds === null) return null
  const left = capacityOf(policy, view).slots - (view.fleet_live - view.company_live)
  const slots = Math.max(1, Math.min(left, companySlots(policy, view)))
  return Math.ceil(Math.ceil(place / slots) * meanSeconds)
}
