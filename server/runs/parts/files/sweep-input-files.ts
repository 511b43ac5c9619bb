import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/logging.ts'
import type { Database } from '../../../db/database.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import { removeEach } from '../../../work/removal.ts'
import { inBatches } from '../../../work/sweep.ts'
import { deleteInputFile, lockFilesToLookAt, lookAgain, takenAmong } from './input-file-store.ts'

interface SweepDeps {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}

const batch = 100

/**
 * Deletes uploaded files after their company's `run_content_retention_days`, unless the input of a run that took them is
 * kept. One bounded round, safe in several processes.
 */
export async function sweepInputFiles(deps: SweepDeps): Promise<{ removed: number; failed: number }> {
  const counts = { removed: 0, failed: 0 }
  await inBatches(batch, async (limit) => {
    const { seen, removed, failed } = await sweepBatch(deps, limit)
    counts.removed += removed
    counts.failed += failed
    return seen
  })
  return counts
}

/** Deletes bytes before their row, so that an interrupted batch is repeated. */
const sweepBatch = ({ db, storage, clock, log }: SweepDeps, limit: number) =>
  db.transaction().execute(async (trx) => {
    const now = clock.now()
    const files = await lockFilesToLookAt(trx, now, limit)
    const taken = await takenAmong(
      trx,
      files.map(({ id }) => id),
    )
    const over = files.filter(({ id, expires_at }) => expires_at <= now && !taken.has(id))
    const kept = files.filter((file) => !over.includes(file))
    await lookAgain(
      trx,
      kept.map(({ id }) => id),
      now,
    )
    const done = await removeEach(over, {
      db: trx,
      now,
      idOf: ({ id }) => id,
      remove: async (file) => {
        await storage.delete(file.storage_key)
        await deleteInputFile(trx, file)
      },
      onFailure: ({ id }, error) => log.warn({ err: error, file: id }, 'an input file is not removed yet'),
    })
    return { seen: files.length, ...done }
  })
