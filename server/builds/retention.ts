import { type Clock, dayMs } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { retireReports, tombstoneReport } from '../environments/retention/report-objects.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { removeEach } from '../work/removal.ts'
import {
  deleteIfUnused,
  listStalePulledImages,
  pulledImageId,
  pulledImageKey,
} from './bases/pulled-image-store.ts'
import { baseInventoryKey } from './cache/base-layer.ts'
import { deleteStaleImages } from './cache/build-cache-store.ts'
import {
  cachedStageId,
  cachedStageKey,
  deleteStaleBuiltStages,
  forgetCachedStage,
  listStaleStages,
} from './cache/cached-stage-store.ts'
import { deleteStaleFacts } from './cache/context-facts-store.ts'
import { buildLogKey, listOverdueLogs, recordLogRemoved } from './logs/build-log-store.ts'
import { listOverdueReports } from './reports/report-store.ts'

const batch = 100

/** Where the objects and their rows are. */
interface Stored {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}

type Swept = Record<'removed' | 'failed', number>

/**
 * Removes the reports and SBOMs of versions that are over and have no image. First hides them from readers,
 * then deletes the bytes. The next round continues an interrupted one.
 */
export async function sweepReports({ db, storage, clock, log }: Stored): Promise<Swept> {
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

/** Removes the logs of builds whose version is over and has no image. The next round continues an interrupted one. */
export async function sweepBuildLogs({ db, storage, clock, log }: Stored): Promise<Swept> {
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

/** How long images and cached parts stay that no build uses. */
const unusedKeptMs = 30 * dayMs
/** Maximum bytes of pulled images per company. */
const companyPulledBytes = 8 * 1024 ** 3

/** Removes pulled base images that no build has used for thirty days, and those beyond a company's limit. */
export async function sweepPulledImages({ db, storage, clock, log }: Stored): Promise<Swept> {
  const now = clock.now()
  const before = new Date(now.getTime() - unusedKeptMs)
  const limits = { before, now, companyBytes: companyPulledBytes, limit: batch }
  return removeEach(await listStalePulledImages(db, limits), {
    db,
    now,
    idOf: pulledImageId,
    remove: (image) =>
      db.transaction().execute(async (trx) => {
        if (await deleteIfUnused(trx, image)) await storage.delete(pulledImageKey(image))
      }),
    onFailure: (image, error) =>
      log.warn({ image: pulledImageId(image), error: String(error) }, 'cannot remove the base image yet'),
  })
}

const rowBatch = 1000
/** Maximum bytes of cached stages per company, compressed. */
export const companyStageBytes = 8 * 1024 ** 3

/**
 * Deletes entries that no build used for thirty days, entries without an image, and cached stages beyond a company's limit.
 * An image belongs to its version and stays; the object of a cached stage is deleted with its row.
 */
export async function sweepBuildCache(
  cache: Stored,
): Promise<{ images: number; facts: number; stages: number }> {
  const { db, clock } = cache
  const before = new Date(clock.now().getTime() - unusedKeptMs)
  await deleteStaleBuiltStages(db, before, rowBatch)
  return {
    images: await deleteStaleImages(db, before, rowBatch),
    facts: await deleteStaleFacts(db, before, rowBatch),
    stages: await sweepCachedStages(cache, before),
  }
}

async function sweepCachedStages({ db, storage, clock, log }: Stored, before: Date): Promise<number> {
  const now = clock.now()
  const limits = { before, now, companyBytes: companyStageBytes, limit: batch }
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
