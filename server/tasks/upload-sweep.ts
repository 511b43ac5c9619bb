import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { sweepStaging } from '../environments/staging.ts'
import { inBatches } from '../queue/in-batches.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { deleteBundle, heldAmong, lockBundlesToLookAt, lookAgainTomorrow } from './bundle-store.ts'
import { deleteExpiredScripts } from './script-upload-store.ts'

const batch = 100

export interface SweepContext {
  db: Database
  storage: ObjectStorage
  log: Log
}

/**
 * Removes scripts and bundles after their day, bundles only when no version holds them, and what broken uploads left. One
 * bounded round, safe to run in several processes; until it comes by, readers already tell by the clock.
 */
export async function sweepTaskUploads(context: SweepContext): Promise<Record<string, number>> {
  return {
    scriptsRemoved: await inBatches(batch, (limit) => deleteExpiredScripts(context.db, limit)),
    bundlesRemoved: await sweepBundles(context),
    ...(await sweepStaging(context)),
  }
}

/** Bytes go before their row does: a round that is cut off is done again. */
async function sweepBundles({ db, storage, log }: SweepContext): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const bundles = await lockBundlesToLookAt(trx, batch)
    if (bundles.length === 0) return 0
    const held = await heldAmong(
      trx,
      bundles.map(({ id }) => id),
    )
    if (held.size > 0) await lookAgainTomorrow(trx, [...held])
    let removed = 0
    for (const bundle of bundles.filter(({ id }) => !held.has(id))) {
      try {
        await storage.delete(bundle.storage_key)
      } catch (error) {
        log.warn({ err: error, bundle: bundle.id }, 'bytes of a bundle not removed')
        continue
      }
      await deleteBundle(trx, bundle.id)
      removed += 1
    }
    return removed
  })
}
