import type { Database } from '../../db/database.ts'
import { recordEvents } from '../../work/outbox.ts'
import { transitionVersion } from '../versions/version-transitions.ts'
import {
  clearRetiring,
  type ImageUses,
  listOverdueImages,
  listRetiring,
  lockUnreferenced,
  markReferenced,
  markUnreferenced,
  type RetiringImage,
  startRetiring,
} from './image-retention-store.ts'

export type { ImageUses, RetiringImage } from './image-retention-store.ts'

/**
 * Retires images that were unreferenced for the retention time of their company. Returns at most `limit` retired
 * images whose bytes may still exist, from this and earlier iterations.
 */
export async function retireImages(
  db: Database,
  uses: ImageUses,
  round: { now: Date; limit: number },
): Promise<RetiringImage[]> {
  await markReferenced(db, uses, round.limit)
  await markUnreferenced(db, uses, round)
  for (const id of await listOverdueImages(db, uses, round)) await retire(db, uses, id)
  return listRetiring(db, round.now, round.limit)
}

/** A `ready` version of an archived environment leaves that state when its image is retired. */
async function retire(db: Database, uses: ImageUses, versionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const version = await lockUnreferenced(trx, uses, versionId)
    if (!version) return
    if (version.state === 'ready')
      await transitionVersion(trx, { id: versionId, company_id: version.company_id }, { to: 'archived' })
    await startRetiring(trx, versionId)
  })
}

/** Records that the bytes of a retired image are removed, and the event of it. */
export async function finishRetiring(db: Database, versionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const companyId = await clearRetiring(trx, versionId)
    if (companyId === null) return
    await recordEvents(trx, [{ companyId, event: 'image_storage_cleanup_completed', subjectId: versionId }])
  })
}
