import type { RunContent } from '@sandbox-jobs/contract/resources/runs/run-content.ts'
import type { Principal } from '../../access/principal.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/removal.ts'
import { batchesPerRound, inBatches } from '../../work/sweep.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { readRunContent } from '../read/read-runs.ts'
import { deleteOldKeys } from '../submit/idempotency-store.ts'
import { recordExpired, recordExpiring } from './expiry-event-store.ts'
import {
  type ExpiredRun,
  listExpiredRuns,
  lockUnneeded,
  markDeleted,
  retireContent,
  tombstoneContent,
} from './run-retention-store.ts'

export interface RetentionDeps {
  db: Database
  storage: ObjectStorage
  clock: Clock
  log: Log
}

const batch = 100

/**
 * Deletes input, output, log and artifacts of runs after their company's `run_content_retention_days` (contract part 1,
 * "Company settings"). The content is hidden first, then the objects are deleted, then the deletion is recorded. The next
 * round completes an interrupted one. The run's row stays.
 */
export async function sweepRunContent(deps: RetentionDeps): Promise<{ expired: number; failed: number }> {
  const { db, storage, clock, log } = deps
  const counts = { expired: 0, failed: 0 }
  for (let round = 0; round < batchesPerRound; round += 1) {
    const runs = await listExpiredRuns(db, clock.now(), batch)
    if (runs.length === 0) break
    const expiring = await db.transaction().execute(async (trx) => {
      const unneeded = await lockUnneeded(trx, runs)
      if (unneeded.length === 0) return []
      await recordExpired(trx, unneeded)
      return retireContent(trx, unneeded)
    })
    const gone: ExpiredRun[] = []
    const { removed, failed } = await removeEach(expiring, {
      db,
      now: clock.now(),
      idOf: ({ runId }) => runId,
      remove: async ({ runId, companyId, keys }) => {
        for (const key of keys) await storage.delete(key)
        gone.push({ id: runId, company_id: companyId })
      },
      onFailure: ({ runId }, error) =>
        log.warn({ run: runId, error: String(error) }, 'content of a run is not removed yet'),
    })
    if (gone.length > 0) await db.transaction().execute((trx) => tombstoneContent(trx, gone, clock.now()))
    counts.expired += removed
    counts.failed += failed
    if (runs.length < batch) break
  }
  return counts
}

const companiesBatch = 200

/** One round of the loop that records which content will expire soon. */
export const sweepExpiring = async ({
  db,
  clock,
}: Pick<RetentionDeps, 'db' | 'clock'>): Promise<{ companies: number }> => ({
  companies: await inBatches(companiesBatch, (limit) => recordExpiring(db, clock.now(), limit)),
})

/** As long as the longest run may take, so that a client that waits for a run can still repeat its submission. */
const keysKeptMs = 7 * dayMs
const keysBatch = 5000

/** Deletes idempotency keys after seven days. The same key then counts as a new request. */
export async function sweepIdempotencyKeys(
  deps: Pick<RetentionDeps, 'db' | 'clock'>,
): Promise<{ keys: number }> {
  const before = new Date(deps.clock.now().getTime() - keysKeptMs)
  return { keys: await inBatches(keysBatch, (limit) => deleteOldKeys(deps.db, before, limit)) }
}

/**
 * Deletes the input and results of a run before their time. They are hidden at once, and the sweep removes the objects within
 * seconds. Idempotent. Throws `not_found` for callers that do not manage the room, and `illegal_transition` for a run that
 * has not ended.
 */
export async function deleteRunContent(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunContent> {
  const run = await requireReadableRun(deps, principal, 'run.delete_content', address)
  if (run.terminal_at === null) throw new CodedError('illegal_transition')
  await deps.db.transaction().execute(async (trx) => {
    await retireContent(trx, [run])
    await markDeleted(trx, run)
  })
  return readRunContent(deps, principal, address)
}
