import type { Clock } from '../base/clock.ts'
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
  const counts = { removed: 0, failed: 0 }
  for (const { id, storage_key: key } of await listRetiredContexts(db, batch)) {
    try {
      await storage.delete(key)
      await endContext(db, id)
      counts.removed += 1
    } catch (error) {
      log.warn({ object: id, error: String(error) }, 'archive is not removed yet')
      counts.failed += 1
    }
  }
  return counts
}
