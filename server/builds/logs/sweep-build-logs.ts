import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/rounds/remove-each.ts'
import { buildLogKey, listOverdueLogs, recordLogRemoved } from './build-log-store.ts'

const batch = 100

/** Removes the logs of builds whose version is over and has no image. The next round continues an interrupted one. */
export async function sweepBuildLogs(deps: {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}): Promise<{ removed: number; failed: number }> {
  const { db, storage, clock, log } = deps
  const now = clock.now()
  return removeEach(await listOverdueLogs(db, now, batch), {
    db,
    now,
    idOf: (attemptId) => attemptId,
    remove: async (attemptId) => {
      await storage.delete(buildLogKey(attemptId))
      await recordLogRemoved(db, attemptId, now)
    },
    onFailure: (attempt, error) =>
      log.warn({ attempt, error: String(error) }, 'cannot remove the build log yet'),
  })
}
