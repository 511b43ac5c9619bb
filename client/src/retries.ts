import { ApiError } from '../../contract/client/api-error.ts'

export interface RetryOptions {
  /** Repeats of one call after its first try, 3 by default; 0 for none. */
  repeats?: number
  /** Longest wait before a repeat, in milliseconds, 60,000 by default. A `Retry-After` above it ends the call. */
  longestWaitMs?: number
}

const firstWaitMs = 500

/**
 * Tries again what may succeed later. `isRepeatable`: the same request twice has the effect of one, because it only
 * reads or has an idempotency key. Any other one is repeated only after 429, with which the service says that it did
 * nothing.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { repeats = 3, longestWaitMs = 60_000 }: RetryOptions,
  { isRepeatable, signal }: { isRepeatable: boolean; signal: AbortSignal | undefined },
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const waitMs = waitBefore(tries, error, isRepeatable)
      if (tries >= repeats || waitMs === undefined || waitMs > longestWaitMs || signal?.aborted) throw error
      await pause(waitMs, signal)
    }
  }
}

/** Undefined if the call must not be repeated. */
function waitBefore(tries: number, error: unknown, isRepeatable: boolean): number | undefined {
  const backoffMs = firstWaitMs * 2 ** tries * (0.5 + Math.random() / 2)
  // `fetch` throws a TypeError when the service cannot be reached, or the connection breaks.
  if (!(error instanceof ApiError)) return isRepeatable && error instanceof TypeError ? backoffMs : undefined
  const mayRepeat = error.status === 429 || (isRepeatable && [502, 503, 504].includes(error.status))
  if (!mayRepeat) return undefined
  return error.retryAfterSeconds === null ? backoffMs : error.retryAfterSeconds * 1000
}

/** Waits; rejects with the reason of the signal when that is first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
