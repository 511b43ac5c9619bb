import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'

const patienceMs = 120_000
const pauseMs = 1000

/** Reads again while the service is away for a while, as during a restart; gives up after two minutes of silence. */
export async function patientRead<T>(read: () => Promise<T>, onAway: () => void): Promise<T> {
  const begun = performance.now()
  for (let tries = 0; ; tries += 1) {
    try {
      return await read()
    } catch (error) {
      if (!isAway(error) || performance.now() - begun > patienceMs) throw error
      if (tries === 0) onAway()
      await sleep(pauseMs)
    }
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof ApiError
    ? [429, 502, 503, 504].includes(error.status)
    : error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message)
