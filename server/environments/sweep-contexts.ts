import type { Clock } from '../base/clock.ts'
import { removeEach } from '../queue/remove-each.ts'
import type { SweepContext } from './context-abort-service.ts'
import { endContext, expireContexts, listRetiredContexts, retireContexts } from './owned-object-store.ts'

const batch = 100

/**
 * Removes the archives of archived environments, some days after: readers lose sight of them first, then the bytes go. A
 * round that is cut short is finished by the next.
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
      await endContext(db, id)
    },
    onFailure: ({ id }, error) =>
      log.warn({ object: id, error: String(error) }, 'archive is not removed yet'),
  })
}
