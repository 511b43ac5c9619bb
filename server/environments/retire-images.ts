import type { Database, Executing } from '../db/database.ts'
import {
  beginRetiring,
  clearRetiring,
  holdUnreferenced,
  listOverdueImages,
  listRetiring,
  noteReferenced,
  noteUnreferenced,
  type RetiringImage,
} from './image-retention-store.ts'
import { moveVersion } from './version-moves.ts'

export type { RetiringImage } from './image-retention-store.ts'

/**
 * Takes images out of use that nothing has pointed at for the days their company keeps them, and answers those whose
 * bytes may still be there: of this round and of earlier ones, at most `limit`.
 */
export async function retireImages(db: Database, now: Date, limit: number): Promise<RetiringImage[]> {
  await noteReferenced(db, limit)
  await noteUnreferenced(db, now, limit)
  for (const id of await listOverdueImages(db, now, limit)) await retire(db, id)
  return listRetiring(db, now, limit)
}

/** A version that claims to be ready while its environment is archived gives that up with its image. */
async function retire(db: Database, versionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const version = await holdUnreferenced(trx, versionId)
    if (!version) return
    if (version.state === 'ready')
      await moveVersion(trx, { id: versionId, company_id: version.company_id }, { to: 'archived' })
    await beginRetiring(trx, versionId)
  })
}

/** Notes that the bytes of a retired image are gone. */
export async function endRetiring(db: Executing, versionId: string): Promise<void> {
  await clearRetiring(db, versionId)
}
