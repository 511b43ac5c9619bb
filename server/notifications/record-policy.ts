import type { RetryPolicy } from '../work/retry.ts'

/**
 * How the record of an attempt is repeated: without it the attempt itself would be. Shorter than the time after which an
 * attempt counts as lost.
 */
export const recordPolicy: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: () => 1000,
  giveUpAfterMs: () => 60_000,
}
