import { systemClock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { sweepStaging } from '../../environments/uploads/staging.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/removal.ts'
import { inBatches } from '../../work/sweep.ts'
import { deleteBundle, heldAmong, lockBundlesToLookAt, lookAgainTomorrow } from './bundle-store.ts'
import { deleteExpiredScripts } from './script-upload-store.ts'

const batch = 100

export interface SweepContext {
  db: Database
  storage: ObjectStorage
  log: Log
}

/**
 * Removes expired scripts, expired bundles that no version refers to, and residue of interrupted uploads. One bounded round,
 * safe to run in several processes. Readers check the expiry by the clock and do not depend on the sweep.
 */
export async function sweepTaskUploads(context: SweepContext): Promise<Record<string, number>> {
  return {
    scriptsRemoved: await inBatches(batch, (limit) => deleteExpiredScripts(context.db, limit)),
    bundlesRemoved: await sweepBundles(context),
    ...(await sweepStaging(context)),
  }
}

/** Deletes bytes before their row, so that an interrupted round is repeated. */
async function sweepBundles({ db, storage, log }: SweepContext): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const now = systemClock.now()
    const bundles = await lockBundlesToLookAt(trx, now, batch)
    if (bundles.length === 0) return 0
    const held = await heldAmong(
      trx,
      bundles.map(({ id }) => id),
    )
    if (held.size > 0) await lookAgainTomorrow(trx, [...held])
    const unheld = bundles.filter(({ id }) => !held.has(id))
    const { removed } = await removeEach(unheld, {
      db: trx,
      now,
      idOf: ({ id }) => id,
      remove: async ({ id, storage_key: key }) => {
        await storage.delete(key)
        await deleteBundle(trx, id)
      },
      onFailure: ({ id }, error) => log.warn({ err: error, bundle: id }, 'bytes of a bundle not removed'),
    })
    return removed
  })
}
