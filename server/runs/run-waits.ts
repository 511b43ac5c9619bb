import type { RunWaitReason } from '@sandbox-jobs/contract/resources/run-wait.ts'
import type { Executing } from '../db/database.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type QueueView, queueView } from './queue-store.ts'
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
    etaSeconds: estimate(policy, view.place, view.mean_seconds),
  }
}

function reasonOf(policy: QueuePolicy, view: Omit<QueueView, 'id'>): RunWaitReason {
  if (view.company_live >= (view.run_concurrency_limit ?? policy.companyConcurrency))
    return 'company_saturated'
  return view.fleet_live >= policy.fleetSlots ? 'provider_capacity_exhausted' : 'awaiting_dispatch'
}

/**
 * Whole rounds of the fleet's places before this run's own, each as long as such runs have taken lately. A hosted
 * deployment does not know its places and gives none (contract part 1, "Run").
 */
function estimate(policy: QueuePolicy, position: number | null, meanSeconds: number | null): number | null {
  if (policy.deployment === 'hosted' || position === null || meanSeconds === null) return null
  return Math.ceil(Math.ceil(position / policy.fleetSlots) * meanSeconds)
}
