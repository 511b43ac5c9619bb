import type { Log } from '../base/logging.ts'
import { type RetryPolicy, retry } from '../work/retry.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** Pauses after the first attempts; later ones are like the last. */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
]

/** The pause after an attempt, up to a tenth longer by the id, so that deliveries that failed together spread. */
function pauseAfter(attempts: number, id: string): number {
  const pause = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 8 * hourMs
  return Math.round(pause * (1 + Number.parseInt(id.slice(-2), 16) / 2560))
}

/** The pause before the next attempt; undefined: the time of the row is over by then. */
export function pauseUntilNext({
  id,
  attempts,
  attempted_at: attemptedAt,
  give_up_at: giveUpAt,
}: {
  id: string
  attempts: number
  attempted_at: Date | null
  give_up_at: Date
}): number | undefined {
  const pauseMs = pauseAfter(attempts, id)
  // Both by the clock of the database.
  return attemptedAt && attemptedAt.getTime() + pauseMs > giveUpAt.getTime() ? undefined : pauseMs
}

/** Shorter than the time after which an attempt counts as lost. */
const policy: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: () => 1000,
  giveUpAfterMs: () => 60_000,
}

/** Writes the record of an attempt, and repeats that, also while the worker stops: without it the attempt would be repeated. */
export const recordDelivery = (what: string, record: () => Promise<unknown>, log: Log): Promise<unknown> =>
  retry(what, record, { policy, signal: new AbortController().signal, log })
