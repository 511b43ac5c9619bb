import { defaultProfile } from '@sandbox-jobs/contract/resources/profile.ts'
import type { RunWaitReason } from '@sandbox-jobs/contract/resources/run-wait.ts'
import type { Executing } from '../db/database.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type QueueView, queueView } from './queue-store.ts'
import { memoryOfRun, shortRunSeconds } from './run-places.ts'
import type { ShownRun } from './run-store.ts'

/** What a queued run waits for. */
export interface QueueWait {
  reason: RunWaitReason
  /** 1 is next; null where the queue is too long to count. */
  position: number | null
  /** Null without a history to judge by. */
  etaSeconds: number | null
}

/** The waits of those rows that are queued, by run id. */
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

/** The bounds that a claim holds (`admission-store.ts`), in the words that the contract has for them. */
function reasonOf(policy: QueuePolicy, view: Omit<QueueView, 'id'>): RunWaitReason {
  const { slots, reserved, reservedForShort, memoryMib, reservedMemoryMib } = policy.places
  const isFirst = view.company_live === 0
  const isShort = view.timeout_seconds <= shortRunSeconds
  const isOverBound = view.timeout_seconds > (view.run_timeout_bound_seconds ?? Number.POSITIVE_INFINITY)
  if (view.company_live >= companyPlaces(policy, view) || (isOverBound && view.company_over_bound > 0)) {
    return 'company_saturated'
  }
  const keptSlots = isFirst ? (isShort ? 0 : reservedForShort) : reserved
  const isSmall = view.resource_profile === defaultProfile
  const keptMib = isFirst && isShort && isSmall ? 0 : reservedMemoryMib
  const memory = view.fleet_memory_mib + memoryOfRun(policy.places, view.resource_profile)
  const isFull = view.fleet_live >= slots - keptSlots || memory > memoryMib - keptMib
  return isFull ? 'provider_capacity_exhausted' : 'awaiting_dispatch'
}

/** Places that the company may have at once. */
const companyPlaces = (
  { companyConcurrency, places: { slots, reserved } }: QueuePolicy,
  { run_concurrency_limit: limit }: Pick<QueueView, 'run_concurrency_limit'>,
): number => Math.min(limit ?? companyConcurrency, slots - reserved)

/**
 * Whole rounds of the places that other companies do not hold, before this run's own, each as long as such runs have taken
 * lately. A hosted deployment does not know its places and gives none (contract part 1, "Run").
 */
function estimate(policy: QueuePolicy, view: Omit<QueueView, 'id'>): number | null {
  const { place, mean_seconds: meanSeconds } = view
  if (policy.deployment === 'hosted' || place === null || meanSeconds === null) return null
  const left = policy.places.slots - (view.fleet_live - view.company_live)
  const places = Math.max(1, Math.min(left, companyPlaces(policy, view)))
  return Math.ceil(Math.ceil(place / places) * meanSeconds)
}
