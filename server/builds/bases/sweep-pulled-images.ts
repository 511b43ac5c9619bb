import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { pulledImageKey, takeStalePulledImages } from './pulled-image-store.ts'

const keptMs = 30 * 86_400_000
const batch = 100

/** Removes pulled base images that no build has used for thirty days. */
export async function sweepPulledImages({
  db,
  storage,
  clock,
}: {
  db: Database
  storage: ObjectStorage
  clock: Clock
}): Promise<{ images: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  return await db.transaction().execute(async (trx) => {
    const stale = await takeStalePulledImages(trx, before, batch)
    for (const image of stale) await storage.delete(pulledImageKey(image))
    return { images: stale.length }
  })
}
