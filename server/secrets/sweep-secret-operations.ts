import type { Clock } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { inBatches } from '../work/rounds/in-batches.ts'
import { deleteOldOperations } from './store/secret-operation-store.ts'

const keptMs = 30 * 86_400_000
/** With a round each minute it removes more than can be added. */
const batch = 5000

/** Removes the operations of a month ago; what they did to secrets is in the audit log. */
export async function sweepSecretOperations({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ operations: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  return { operations: await inBatches(batch, (limit) => deleteOldOperations(db, before, limit)) }
}
