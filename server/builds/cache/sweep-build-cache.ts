import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { removeEach } from '../../queue/remove-each.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { deleteStaleBuiltPrefixes } from '../prefixes/built-prefix-store.ts'
import { forgetPrefix, listStalePrefixes, prefixId, prefixObjectKey } from '../prefixes/prefix-store.ts'
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
  log: Log
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

async function sweepPrefixes({ db, storage, clock, log }: Cache, before: Date): Promise<number> {
  const now = clock.now()
  const limits = { before, now, companyBytes: companyPrefixBytes, limit: prefixBatch }
  const { removed } = await removeEach(await listStalePrefixes(db, limits), {
    db,
    now,
    idOf: prefixId,
    // No build finds it once its row is out; one that cannot be removed keeps its row.
    remove: (prefix) =>
      db.transaction().execute(async (trx) => {
        await forgetPrefix(trx, prefix)
        await storage.delete(prefixObjectKey(prefix))
      }),
    onFailure: (prefix, error) =>
      log.warn({ prefix: prefixId(prefix), error: String(error) }, 'prefix is not removed yet'),
  })
  return removed
}
