import { triggerEventHistoryHours } from '@sandbox-jobs/contract/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { inBatches } from '../../work/rounds/in-batches.ts'
import { dropHandledEvents } from './trigger-event-store.ts'

const batch = 1000
const hourMs = 3_600_000

/** One round of the sweep of events that were handled some time ago. */
export async function sweepTriggerEvents({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ removed: number }> {
  const before = new Date(clock.now().getTime() - triggerEventHistoryHours * hourMs)
  return { removed: await inBatches(batch, (limit) => dropHandledEvents(db, before, limit)) }
}
