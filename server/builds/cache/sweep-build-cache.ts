import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { deleteStaleBuiltPrefixes } from '../prefixes/built-prefix-store.ts'
import { prefixObjectKey, takeStalePrefixes } from '../prefixes/prefix-store.ts'
import { deleteStaleImages } from './build-cache-store.ts'
import { deleteStaleFacts } from './context-facts-store.ts'

const keptMs = 30 * 86_400_000
const batch = 1000
const prefixBatch = 100
/** What a company may have of prefixes, compressed. */
export const companyPrefixBytes = 8 * 1024 ** 3

interface Cache {
  db: Database
  storage: ObjectStorage
  clock: Clock
}

/**
 * Forgets what no build asked for in thirty days, what has no image to give, and prefixes beyond what a company may have.
 * An image is its version's and stays; a prefix goes with its row.
 */
export async function sweepBuildCache(
  cache: Cache,
): Promise<{ images: number; facts: number; prefixes: number }> {
  const { db, clock } = cache
  const before = new Date(clock.now().getTime() - keptMs)
  await deleteStaleBuiltPrefixes(db, before, batch)
  return {
    images: await deleteStaleImages(db, before, batch),
    facts: await deleteStaleFacts(db, before, batch),
    prefixes: await sweepPrefixes(cache, before),
  }
}

const sweepPrefixes = ({ db, storage }: Cache, before: Date): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const limits = { before, companyBytes: companyPrefixBytes, limit: prefixBatch }
    const stale = await takeStalePrefixes(trx, limits)
    for (const prefix of stale) await storage.delete(prefixObjectKey(prefix))
    return stale.length
  })
