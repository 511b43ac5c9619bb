import { type Clock, dayMs } from '../base/clock.ts'
import type { Database } from '../db/database.ts'
import { inBatches } from '../work/sweep.ts'
import { endDue } from './approvals/next-versions-store.ts'
import { deleteOldOperations } from './store/secret-operation-store.ts'

const operationsKeptMs = 30 * dayMs
/** With a round each minute it removes more than can be added. */
const operationsBatch = 5000

/** Removes the operations of a month ago; what they did to secrets is in the audit log. */
export async function sweepSecretOperations({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ operations: number }> {
  const before = new Date(clock.now().getTime() - operationsKeptMs)
  return { operations: await inBatches(operationsBatch, (limit) => deleteOldOperations(db, before, limit)) }
}

/** Approvals that a round looks at. */
const perRound = 1000

/**
 * Rounds that record in approvals and in the audit log which no longer cover next versions, a part of them in each. Nothing waits for it:
 * each claim decides by itself.
 */
export function sweepNextVersions(
  { db }: { db: Database },
  limit = perRound,
): () => Promise<{ ended: number }> {
  let after = ''
  return async () => {
    const { looked, last, ended } = await endDue(db, { after, limit })
    after = looked < limit ? '' : last
    return { ended }
  }
}
