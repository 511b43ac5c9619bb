import { actingAs } from '../../base/current-request.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import { cancelQueued, cancelRun } from './cancel-run.ts'
import {
  deleteRunEndRequest,
  listRunEndRequests,
  lockQueuedRunsOf,
  lockRunEndRequest,
  type RunEndRequest,
} from './run-end-request-store.ts'

const everyMs = 1000
/** Of a transaction, which locks them and their company's counts. */
const runsMax = 50

/** The loop that ends what operators want to end. */
export const startRequestedEnds = (db: Database, log: Log): Ticker =>
  startTicker({
    name: 'requested ends',
    tick: (signal) => endRequestedRuns(db, log, signal),
    intervalMs: everyMs,
    log,
  })

/**
 * Ends the runs of each request and then deletes it: after a crash it is repeated, which changes nothing of what has ended. Each
 * round ends a part of each request, so that none waits for a long queue, or for one that fails.
 */
export async function endRequestedRuns(db: Database, log: Log, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await endParts(db, log, signal)));
}

/** Returns whether one of the requests has more runs to end now. */
async function endParts(db: Database, log: Log, signal: AbortSignal | undefined): Promise<boolean> {
  let hasMore = false
  for (const request of await listRunEndRequests(db)) {
    if (signal?.aborted) return false
    const { account, run_id, company_id: company } = request
    const action = run_id === null ? 'queue_empty' : 'run_end'
    try {
      const acting = { action, actor_type: 'operator', actor_id: account } as const
      if (await actingAs(acting, () => endPart(db, request))) hasMore = true
    } catch (error) {
      log.warn({ company, run: run_id, error: String(error) }, 'cannot end what an operator wants to end')
    }
  }
  return hasMore
}

async function endPart(db: Database, request: RunEndRequest): Promise<boolean> {
  const { run_id: id, company_id } = request
  if (id === null) return endQueued(db, request)
  await cancelRun(db, { id, company_id }, 'at once', 'worker')
  await deleteRunEndRequest(db, request)
  return false
}

/** Runs that a worker has claimed meanwhile go on. */
const endQueued = (db: Database, request: RunEndRequest): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    if (!(await lockRunEndRequest(trx, request))) return false
    const runs = await lockQueuedRunsOf(trx, request, runsMax)
    for (const run of runs) await cancelQueued(trx, run, 'worker')
    if (runs.length === runsMax) return true
    await deleteRunEndRequest(trx, request)
    return false
  })
