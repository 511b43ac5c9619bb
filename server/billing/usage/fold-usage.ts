import type { Database } from '../../db/database.ts'
import { inBatches } from '../../work/in-batches.ts'
import { foldUsageChanges } from './usage-store.ts'

const foldBatch = 5000

/** One iteration of the loop that folds what ended work used into the totals by day. */
export const foldUsage = async ({ db }: { db: Database }): Promise<{ folded: number }> => ({
  folded: await inBatches(foldBatch, (limit) => foldUsageChanges(db, limit)),
})
