import type { Clock } from '../../base/clock.ts'
import { removeEach } from '../../work/removal.ts'
import type { SweepContext } from './context-abort-service.ts'
import {
  expireContexts,
  listRetiredContexts,
  retireContexts,
  tombstoneContext,
} from './owned-object-store.ts'

const batch = 100

/**
 * Removes the archives of archived environments after the retention time. The rows are retired first, then the bytes
 * are removed. The next iteration finishes an interrupted one.
 */
export async function sweepContexts({
  db,
  storage,
  log,
  clock,
}: SweepContext & { clock: Clock }): Promise<{ removed: number; failed: number }> {
  const now = clock.now()
  await expireContexts(db, now, batch)
  await retireContexts(db, now)
  return removeEach(await listRetiredContexts(db, now, batch), {
    db,
    now,
    idOf: ({ id }) => id,
    remove: async ({ id, storage_key: key }) => {
      await storage.delete(key)
      await tombstoneContext(db, id)
    },
    onFailure: ({ id }, error) =>
      log.warn({ object: id, error: String(error) }, 'archive is not removed yet'),
  })
}
