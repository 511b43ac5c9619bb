import type { RunWaitReason } from '@sandbox-jobs/contract/resources/run-wait.ts'
import type { Executing } from '../db/database.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { type LiveRuns, liveRuns, meanRunSeconds, queuePositions } from './queue-store.ts'
import type { RunRow } from './run-store.ts'

/** What a queued run waits for. */
export interface QueueWait {
  reason: RunWaitReason
  /** 1 is next; null where the queue is too long to count. */
  position: number | null
  /** Null without a history to judge by. */
  etaSeconds: number | null
}

/** The waits of those rows that are queued, by run id. All rows are of one company. */
export async function queueWaits(
  db: Executing,
  policy: QueuePolicy,
  rows: readonly RunRow[],
): Promise<Map<string, QueueWait>> {
  const queued = rows.filter((row) => row.state === 'queued')
  const [first] = queued
  if (!first) return new Map()
  const companyId = first.company_id
  const profiles = [...new Set(queued.map((row) => row.resource_profile))]
  const ids = queued.map((row) => row.id)
  const [live, positions, seconds] = [
    await liveRuns(db, companyId),
    await queuePositions(db, ids, policy.deployment === 'hosted' ? companyId : undefined),
    await meanRunSeconds(db, companyId, policy.deployment === 'hosted' ? [] : profiles),
  ]
  const reason = reasonOf(policy, live)
  return new Map(
    queued.map((row) => {
      const position = positions.get(row.id) ?? null
      const etaSeconds = estimate(policy, position, seconds.get(row.resource_profile))
      return [row.id, { reason, position, etaSeconds }]
    }),
  )
}

function reasonOf(policy: QueuePolicy, live: LiveRuns): RunWaitReason {
  if (live.company >= policy.companyConcurrency) return 'company_saturated'
  return live.fleet >= policy.fleetSlots ? 'provider_capacity_exhausted' : 'awaiting_dispatch'
}

/** Whole rounds of the fleet's places before this run's own, each as long as such runs have taken lately. */
function estimate(
  policy: QueuePolicy,
  position: number | null,
  meanSeconds: number | undefined,
): number | null {
  if (position === null || meanSeconds === undefined) return null
  return Math.ceil(Math.ceil(position / policy.fleetSlots) * meanSeconds)
}
