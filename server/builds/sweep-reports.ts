import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { endReport, retireReports } from '../environments/report-objects.ts'
import { removeEach } from '../queue/remove-each.ts'
import type { ObjectStorage } from '../storage/port.ts'

const batch = 100

/**
 * Removes the reports and SBOMs of versions that are over and whose image is gone: readers lose sight of them first,
 * then the bytes go. A round that is cut short is finished by the next.
 */
export async function sweepReports(deps: {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}): Promise<{ removed: number; failed: number }> {
  const { db, storage, clock, log } = deps
  const now = clock.now()
  return removeEach(await retireReports(db, now, batch), {
    db,
    now,
    idOf: ({ id }) => id,
    remove: async ({ id, storageKey }) => {
      await storage.delete(storageKey)
      await endReport(db, id)
    },
    onFailure: ({ id }, error) => log.warn({ object: id, error: String(error) }, 'report is not removed yet'),
  })
}
