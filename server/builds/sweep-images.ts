import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { endRetiring, type RetiringImage, retireImages } from '../environments/retire-images.ts'
import type { Executor } from '../executor/port.ts'
import { removeEach } from '../queue/remove-each.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { deleteLayout } from './oci-layout.ts'

export interface ImageSweepDeps {
  db: Database
  storage: ObjectStorage
  executor: Executor
  clock: Clock
  log: Log
}

const batch = 100

/**
 * Removes images that nothing has pointed at for the days their company keeps them (contract part 1, "Company
 * settings"), from the host and from storage. An image that the host still uses, and one whose removal was cut
 * short, is finished by a later round.
 */
export async function sweepImages(deps: ImageSweepDeps): Promise<{ removed: number; failed: number }> {
  const { db, log } = deps
  const now = deps.clock.now()
  return removeEach(await retireImages(db, now, batch), {
    db,
    now,
    idOf: ({ versionId }) => versionId,
    remove: (image) => removeImage(deps, image),
    onFailure: ({ versionId }, error) =>
      log.warn({ version: versionId, error: String(error) }, 'image is not removed yet'),
  })
}

async function removeImage({ db, storage, executor }: ImageSweepDeps, image: RetiringImage): Promise<void> {
  if (!image.layerShared) await executor.removeImage(image.layerDigest)
  await deleteLayout(storage, image.versionId)
  await endRetiring(db, image.versionId)
}
