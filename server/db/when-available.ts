import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { isDatabaseUnavailable } from './database.ts'

const giveUpAfterMs = 30_000
const pauseMs = 100

/** Does the first work with the database when a process starts; waits for one that is still starting. */
export async function whenAvailable(work: () => Promise<void>, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + giveUpAfterMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      if (!isDatabaseUnavailable(cause) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not available yet')
    }
    await sleep(pauseMs)
  }
}
