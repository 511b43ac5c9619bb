/** Maximum number of batches per round; together with the batch size it bounds a round. */
export const batchesPerRound = 20

/** Runs batches of at most `size` until one is not full. Returns the total count. */
export async function inBatches(size: number, runBatch: (limit: number) => Promise<number>): Promise<number> {
  let done = 0
  for (let batch = 0; batch < batchesPerRound; batch += 1) {
    const count = await runBatch(size)
    done += count
    if (count < size) break
  }
  return done
}
