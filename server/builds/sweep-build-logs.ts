import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { removeEach } from '../queue/remove-each.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { buildLogKey } from './build-log-key.ts'
import { listOverdueLogs, noteLogRemoved } from './build-log-store.ts'

const batch = 100

/** Removes the logs of builds whose version and image are gone. A round that is cut short is finished by the next. */
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
      await noteLogRemoved(db, attemptId, now)
    },
    onFailure: (attempt, error) =>
      log.warn({ attempt, error: String(error) }, 'build log is not removed yet'),
  })
}
