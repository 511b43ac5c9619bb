import { type Clock, dayMs } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { deleteOldEvents } from '../db/state-events.ts'
import { inBatches } from '../work/sweep.ts'

const keptMs = 30 * dayMs
/** With a round each minute it removes more than can be added. */
const batch = 5000

/** Deletes changes of state of a month ago. Those of runs are deleted with the content of their run. */
export async function sweepStateEvents({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ events: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  return { events: await inBatches(batch, (limit) => deleteOldEvents(db, before, limit)) }
}
