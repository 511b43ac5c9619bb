import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/removal.ts'
import { inBatches } from '../../work/sweep.ts'
import { deleteExpiredSessions } from '../catalogue/session-store.ts'
import { deletePack, lockUnusedPacks } from './pack-store.ts'
import { deleteLeftTrees } from './tree-store.ts'

export interface TreeDeps {
  db: Database
  storage: Pick<ObjectStorage, 'delete'>
  clock: Clock
  log: Log
}

const removedAtOnce = 100

interface Removed {
  seen: number
  removed: number
  failed: number
}

/**
 * Removes trees that sessions have left, then packs that no tree names, with their objects: of one company, or of all. An
 * object is deleted before its row, so what is interrupted is done again. One bounded batch.
 */
export async function removeUnusedBatch(
  { db, storage, clock, log }: TreeDeps,
  companyId?: string,
): Promise<Removed> {
  const now = clock.now()
  const trees = await db.transaction().execute((trx) => deleteLeftTrees(trx, companyId, removedAtOnce))
  const packs = await db.transaction().execute(async (trx) =>
    removeEach(await lockUnusedPacks(trx, companyId, { now, limit: removedAtOnce }), {
      db: trx,
      now,
      idOf: ({ id }) => id,
      remove: async (pack) => {
        await storage.delete(pack.storage_key)
        await deletePack(trx, pack)
      },
      onFailure: ({ id }, error) =>
        log.warn({ err: error, pack: id }, 'bytes of a session are not removed yet'),
    }),
  )
  return { seen: Math.max(trees, packs.removed + packs.failed), ...packs }
}

/** After a change of a session, so that what it left stops counting at once. A removal that fails is left to the sweep. */
export async function removeUnused(deps: TreeDeps, companyId: string): Promise<void> {
  await removeUnusedBatch(deps, companyId).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'bytes that sessions left are not removed yet')
  })
}

/**
 * Deletes sessions that were not used for their time, then what no session points to and what broken uploads left. One bounded
 * round, safe in several processes.
 */
export async function sweepSessions(
  deps: TreeDeps,
): Promise<{ expired: number; removed: number; failed: number }> {
  const { db, clock } = deps
  const expired = await inBatches(removedAtOnce, (limit) =>
    db.transaction().execute((trx) => deleteExpiredSessions(trx, clock.now(), limit)),
  )
  const counts = { removed: 0, failed: 0 }
  await inBatches(removedAtOnce, async () => {
    const { seen, removed, failed } = await removeUnusedBatch(deps)
    counts.removed += removed
    counts.failed += failed
    return seen
  })
  return { expired, ...counts }
}
