import type { Log } from '../base/logging.ts'
import { type RetryPolicy, retry } from '../work/retry.ts'

/** Shorter than the time after which an attempt counts as lost. */
const policy: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: () => 1000,
  giveUpAfterMs: () => 60_000,
}

/** Writes the record of an attempt, and repeats that, also while the worker stops: without it the attempt would be repeated. */
export const recordDelivery = (what: string, record: () => Promise<unknown>, log: Log): Promise<unknown> =>
  retry(what, record, { policy, signal: new AbortController().signal, log })
