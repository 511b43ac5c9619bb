import { inBatches } from '../work/rounds/in-batches.ts'
import { deleteExpiredSessions } from './catalogue/session-store.ts'
import { removeUnusedBatch, type TreeDeps } from './trees/remove-unused.ts'

const batch = 100

/**
 * Deletes sessions that were not used for their time, then what no session points to and what broken uploads left. One bounded
 * round, safe in several processes.
 */
export async function sweepSessions(
  deps: TreeDeps,
): Promise<{ expired: number; removed: number; failed: number }> {
  const { db, clock } = deps
  const expired = await inBatches(batch, (limit) =>
    db.transaction().execute((trx) => deleteExpiredSessions(trx, clock.now(), limit)),
  )
  const counts = { removed: 0, failed: 0 }
  await inBatches(batch, async () => {
    const { seen, removed, failed } = await removeUnusedBatch(deps)
    counts.removed += removed
    counts.failed += failed
    return seen
  })
  return { expired, ...counts }
}
