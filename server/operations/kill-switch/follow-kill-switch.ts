import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import { stoppedSince } from './kill-switch.ts'

const readEveryMs = 500

export interface KillSwitch extends Pick<Ticker, 'stop'> {
  /** Whether the service takes changes. */
  isEnabled: () => boolean
}

interface FollowOptions {
  db: Database
  /** The setting `SANDBOX_ENABLED`, which outranks what operators store: false until the next start. */
  enabled: boolean
  log: Log
}

/**
 * Reads twice a second whether operators have stopped all changes, so that this process refuses them within a second. The first
 * read is complete before the process takes requests. The last answer stays valid while the database does not answer.
 */
export async function followKillSwitch({ db, enabled, log }: FollowOptions): Promise<KillSwitch> {
  let isStopped = (await stoppedSince(db)) !== null
  const tick = async () => {
    const isStoppedNow = (await stoppedSince(db)) !== null
    if (isStoppedNow !== isStopped) log.warn({ stopped: isStoppedNow }, 'the kill switch has changed')
    isStopped = isStoppedNow
  }
  const ticker = startTicker({ name: 'kill switch', tick, intervalMs: readEveryMs, log })
  return { isEnabled: () => enabled && !isStopped, stop: () => ticker.stop() }
}
