import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'

/** The worker is stopping: its work continues without it and is taken over later. */
export class WorkerStopping extends Error {
  constructor() {
    super('the worker is stopping')
    this.name = 'WorkerStopping'
  }
}

/** How an operation is retried, depending on the last error. */
export interface RetryPolicy {
  /** The first pause. Each pause is twice as long as the previous one, */
  firstPauseMs: number
  /** up to this maximum. */
  maxPauseMs: (error: unknown) => number
  /** The error is thrown after this much time in pauses. 0: a retry cannot help. */
  giveUpAfterMs: (error: unknown) => number
  /** For the log, where a message may quote what a tenant wrote. */
  describe?: (error: unknown) => string
}

export interface RetryOptions {
  policy: RetryPolicy
  /** Ends the retries; its reason is thrown. */
  signal: AbortSignal
  log: Log
  /** Waits between two attempts; by default on the machine's clock. */
  pause?: typeof sleep | undefined
}

/** For a cheap call to a service that may be unavailable for a while. */
export const untilAnswered: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: () => 500,
  giveUpAfterMs: () => Number.POSITIVE_INFINITY,
}

/** After the pauses have reached their maximum, one in this many attempts is logged. */
const triesPerLine = 10

/** Repeats `work` until it succeeds, the policy gives up or the signal fires. `work` must be safe to repeat. */
export async function retry<T>(
  what: string,
  work: () => Promise<T>,
  { policy, signal, log, pause = sleep }: RetryOptions,
): Promise<T> {
  let pauseMs = policy.firstPauseMs
  let pausedMs = 0
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (pausedMs >= policy.giveUpAfterMs(error)) throw error
      const maxPauseMs = policy.maxPauseMs(error)
      if (pauseMs < maxPauseMs || attempt % triesPerLine === 0) {
        const described = (policy.describe ?? messageOf)(error)
        log.warn({ what, attempt, error: described }, 'will try again')
      }
      pauseMs = Math.min(pauseMs, maxPauseMs)
    }
    await pause(pauseMs, signal)
    pausedMs += pauseMs
    pauseMs *= 2
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
