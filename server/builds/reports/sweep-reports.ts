import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { retireReports, tombstoneReport } from '../../environments/retention/report-objects.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/rounds/remove-each.ts'
import { listOverdueReports } from './report-store.ts'

const batch = 100

/**
 * Removes the reports and SBOMs of versions that are over and have no image. First hides them from readers,
 * then deletes the bytes. The next round continues an interrupted one.
 */
export async function sweepReports(deps: {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}): Promise<{ removed: number; failed: number }> {
  const { db, storage, clock, log } = deps
  const now = clock.now()
  const ids = await listOverdueReports(db, now, batch)
  return removeEach(await retireReports(db, { ids, now, limit: batch }), {
    db,
    now,
    idOf: ({ id }) => id,
    remove: async ({ id, storageKey }) => {
      await storage.delete(storageKey)
      await tombstoneReport(db, id)
    },
    onFailure: ({ id }, error) =>
      log.warn({ object: id, error: String(error) }, 'cannot remove the report yet'),
  })
}
