import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'

const retryMaxMs = 120_000
const pauseMs = 1000

/** Retries a read while the service is unavailable, as during a restart. Gives up after two minutes. */
export async function readWithRetry<T>(read: () => Promise<T>, onAway: () => void): Promise<T> {
  const startedAt = performance.now()
  for (let tries = 0; ; tries += 1) {
    try {
      return await read()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() - startedAt > retryMaxMs) throw error
      if (tries === 0) onAway()
      await sleep(pauseMs)
    }
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError
    ? [429, 502, 503, 504].includes(error.status)
    : error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message)
