import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import {
  beginRetiring,
  endRetiring,
  holdUnreferenced,
  listOverdueImages,
  listRetiring,
  noteReferenced,
  noteUnreferenced,
  type RetiringImage,
} from '../environments/image-retention-store.ts'
import { moveVersion } from '../environments/version-moves.ts'
import type { Executor } from '../executor/port.ts'
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
  const now = deps.clock.now()
  await noteReferenced(deps.db, batch)
  await noteUnreferenced(deps.db, now, batch)
  for (const id of await listOverdueImages(deps.db, now, batch)) await retire(deps.db, id)
  const counts = { removed: 0, failed: 0 }
  for (const image of await listRetiring(deps.db, batch)) {
    try {
      await removeImage(deps, image)
      counts.removed += 1
    } catch (error) {
      deps.log.warn({ version: image.versionId, error: String(error) }, 'image is not removed yet')
      counts.failed += 1
    }
  }
  return counts
}

/** A version that claims to be ready while its environment is archived gives that up with its image. */
async function retire(db: Database, versionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const version = await holdUnreferenced(trx, versionId)
    if (!version) return
    if (version.state === 'ready') await moveVersion(trx, versionId, { to: 'archived' })
    await beginRetiring(trx, versionId)
  })
}

async function removeImage({ db, storage, executor }: ImageSweepDeps, image: RetiringImage): Promise<void> {
  if (!image.layerShared) await executor.removeImage(image.layerDigest)
  if (image.promotedDigest !== null) await deleteLayout(storage, image.versionId, image.promotedDigest)
  await endRetiring(db, image.versionId)
}
