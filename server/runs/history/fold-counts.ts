import type { Database } from '../../db/database.ts'
import { foldCounts } from './run-count-store.ts'

const batchRows = 5000
const batchesMax = 40

/** One round of the loop that folds recorded changes into the counts, which keeps totals cheap. */
export async function foldRunCounts(deps: { db: Database }): Promise<Record<string, number>> {
  let folded = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const rows = await foldCounts(deps.db, batchRows)
    folded += rows
    if (rows < batchRows) break
  }
  return { folded }
}
