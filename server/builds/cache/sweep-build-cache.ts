import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/rounds/remove-each.ts'
import { baseInventoryKey } from './base-layer.ts'
import { deleteStaleImages } from './build-cache-store.ts'
import { deleteStaleBuiltStages } from './built-stages-store.ts'
import { cachedStageId, cachedStageKey, forgetCachedStage, listStaleStages } from './cached-stage-store.ts'
import { deleteStaleFacts } from './context-facts-store.ts'

const keptMs = 30 * 86_400_000
const batch = 1000
const stageBatch = 100
/** Maximum bytes of cached stages per company, compressed. */
export const companyStageBytes = 8 * 1024 ** 3

interface Cache {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}

/**
 * Deletes entries that no build used for thirty days, entries without an image, and cached stages beyond a company's limit.
 * An image belongs to its version and stays; the object of a cached stage is deleted with its row.
 */
export async function sweepBuildCache(
  cache: Cache,
): Promise<{ images: number; facts: number; stages: number }> {
  const { db, clock } = cache
  const before = new Date(clock.now().getTime() - keptMs)
  await deleteStaleBuiltStages(db, before, batch)
  return {
    images: await deleteStaleImages(db, before, batch),
    facts: await deleteStaleFacts(db, before, batch),
    stages: await sweepCachedStages(cache, before),
  }
}

async function sweepCachedStages({ db, storage, clock, log }: Cache, before: Date): Promise<number> {
  const now = clock.now()
  const limits = { before, now, companyBytes: companyStageBytes, limit: stageBatch }
  const { removed } = await removeEach(await listStaleStages(db, limits), {
    db,
    now,
    idOf: cachedStageId,
    // Once the row is deleted no build finds the stage. If the object cannot be deleted, the row stays.
    remove: (stage) =>
      db.transaction().execute(async (trx) => {
        await forgetCachedStage(trx, stage)
        await storage.delete(baseInventoryKey(stage))
        await storage.delete(cachedStageKey(stage))
      }),
    onFailure: (stage, error) =>
      log.warn({ stage: cachedStageId(stage), error: String(error) }, 'cannot remove the cached stage yet'),
  })
  return removed
}
