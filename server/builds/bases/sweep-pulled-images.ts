import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/rounds/remove-each.ts'
import { deleteIfUnused, listStalePulledImages, pulledImageId, pulledImageKey } from './pulled-image-store.ts'

const keptMs = 30 * 86_400_000
const batch = 100
/** Maximum bytes of pulled images per company. */
export const companyPulledBytes = 8 * 1024 ** 3

/** Removes pulled base images that no build has used for thirty days, and those beyond a company's limit. */
export async function sweepPulledImages({
  db,
  storage,
  clock,
  log,
}: {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}): Promise<{ removed: number; failed: number }> {
  const now = clock.now()
  const before = new Date(now.getTime() - keptMs)
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
