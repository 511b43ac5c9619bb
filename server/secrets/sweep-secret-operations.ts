import type { Clock } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { deleteOldOperations } from './store/secret-operation-store.ts'

const keptMs = 30 * 86_400_000
const batch = 1000
const batchesPerRound = 10

/** Removes the operations of a month ago; what they did to secrets is in `state_events`. */
export async function sweepSecretOperations({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ operations: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  let operations = 0
  for (let round = 0; round < batchesPerRound; round += 1) {
    const deleted = await deleteOldOperations(db, before, batch)
    operations += deleted
    if (deleted < batch) break
  }
  return { operations }
}
