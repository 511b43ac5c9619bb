/** Most batches of one round: with the size of a batch the bound of what a round does. */
export const batchesPerRound = 20

/** Runs batches of at most `size` until one was not full. Answers how many things they did in all. */
export async function inBatches(size: number, runBatch: (limit: number) => Promise<number>): Promise<number> {
  let done = 0
  for (let batch = 0; batch < batchesPerRound; batch += 1) {
    const count = await runBatch(size)
    done += count
    if (count < size) break
  }
  return done
}
