import type { ImagePort } from '../../../agent/port/images.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import {
  deleteLeftHostImage,
  hostImageKey,
  leaveHostImage,
  listLeftHostImages,
} from '../../environments/retention/host-images.ts'
import {
  finishRetiring,
  type ImageUses,
  type RetiringImage,
  retireImages,
} from '../../environments/retention/retire-images.ts'
import { deleteLayout } from '../../images/oci-layout.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/removal.ts'

export interface ImageSweepDeps {
  db: Database
  storage: ObjectStorage
  executor: ImagePort
  executorId: string
  /** The uses that keep an image. */
  imageUses: ImageUses
  clock: Clock
  log: Log
}

const batch = 100

/**
 * Removes images that have been unreferenced longer than their company retains them (contract part 1, "Company
 * settings"), from the host and from storage, and leaves a note for the hosts of other executors. An image that the host still uses,
 * or whose removal was interrupted, is removed in a later round.
 */
export async function sweepImages(deps: ImageSweepDeps): Promise<{ removed: number; failed: number }> {
  const { db, log } = deps
  const now = deps.clock.now()
  await removeLeft(deps, now)
  return removeEach(await retireImages(db, deps.imageUses, { now, limit: batch }), {
    db,
    now,
    idOf: ({ versionId }) => versionId,
    remove: (image) => removeImage(deps, image),
    onFailure: ({ versionId }, error) =>
      log.warn({ version: versionId, error: String(error) }, 'cannot remove the image yet'),
  })
}

/** Removes from the host what workers of other executors have retired. */
async function removeLeft({ db, executor, executorId, log }: ImageSweepDeps, now: Date): Promise<void> {
  await removeEach(await listLeftHostImages(db, executorId, { now, limit: batch }), {
    db,
    now,
    idOf: ({ layerDigest }) => hostImageKey(executorId, layerDigest),
    remove: async ({ layerDigest, isHeld }) => {
      if (!isHeld) await executor.removeImage(layerDigest)
      await deleteLeftHostImage(db, executorId, layerDigest)
    },
    onFailure: ({ layerDigest }, error) =>
      log.warn({ layer: layerDigest, error: String(error) }, 'cannot remove the image from the host yet'),
  })
}

async function removeImage(
  { db, storage, executor, executorId }: ImageSweepDeps,
  image: RetiringImage,
): Promise<void> {
  if (!image.layerShared) {
    await executor.removeImage(image.layerDigest)
    await leaveHostImage(db, image.layerDigest, executorId)
  }
  await deleteLayout(storage, image.versionId)
  await finishRetiring(db, image.versionId)
}
