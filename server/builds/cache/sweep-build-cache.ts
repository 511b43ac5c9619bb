import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { deleteStaleImages } from './build-cache-store.ts'
import { deleteStaleFacts } from './context-facts-store.ts'

const keptMs = 30 * 86_400_000
const batch = 1000

/**
 * Forgets what no build asked for in thirty days, and what has no image to give. Only rows go: an image is its version's,
 * and the cache keeps none.
 */
export async function sweepBuildCache({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ images: number; facts: number }> {
  const before = new Date(clock.now().getTime() - keptMs)
  return {
    images: await deleteStaleImages(db, before, batch),
    facts: await deleteStaleFacts(db, before, batch),
  }
}
