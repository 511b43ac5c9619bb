import type { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { startTicker, type Ticker } from './ticker.ts'

export interface SweepOptions {
  name: string
  everyMs: number
  /**
   * One bounded round; returns counts for the log. The next round continues where it stopped. A round of many seconds ends
   * early when the signal aborts: a process that stops waits for it.
   */
  runOnce: (signal: AbortSignal) => Promise<Record<string, number>>
  log: Log
  pause?: typeof sleep | undefined
}

export type Sweep = Pick<Ticker, 'stop'>

/** Periodic work that is not urgent: removals after a time, sums, residue of crashed processes. */
export function startSweep({ name, everyMs, runOnce, log, pause }: SweepOptions): Sweep {
  const tick = async (signal: AbortSignal) => {
    const counts = await runOnce(signal)
    if (Object.values(counts).some((count) => count > 0)) log.info({ loop: name, ...counts }, 'swept')
  }
  return startTicker({ name, tick, intervalMs: everyMs, log, pause })
}

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
