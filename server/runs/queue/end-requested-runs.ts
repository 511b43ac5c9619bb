import { actingAs } from '../../base/current-request.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import { cancelQueued, cancelRun } from './cancel-run.ts'
import {
  deleteRunEndRequest,
  listRunEndRequests,
  lockQueuedRunsOf,
  type RunEndRequest,
} from './run-end-request-store.ts'

const everyMs = 1000
const requestsMax = 100
/** Of a transaction, which locks them and their company's counts. */
const runsMax = 50

/** The loop that ends what operators want to end. */
export const startRequestedEnds = (db: Database, log: Log): Ticker =>
  startTicker({
    name: 'requested ends',
    tick: (signal) => endRequestedRuns(db, signal),
    intervalMs: everyMs,
    log,
  })

/**
 * Ends the runs of each request and then deletes it: after a crash it is repeated, which changes nothing of what has ended. Returns the
 * number of requests.
 */
export async function endRequestedRuns(db: Database, signal?: AbortSignal): Promise<number> {
  const requests = await listRunEndRequests(db, requestsMax)
  for (const request of requests) {
    if (signal?.aborted) break
    const { account, run_id } = request
    const action = run_id === null ? 'queue_empty' : 'run_end'
    await actingAs({ action, actor_type: 'operator', actor_id: account }, () => endRuns(db, request, signal))
  }
  return requests.length
}

async function endRuns(db: Database, request: RunEndRequest, signal: AbortSignal | undefined): Promise<void> {
  const { run_id: id, company_id } = request
  if (id !== null) await cancelRun(db, { id, company_id }, 'at once', 'worker')
  else if (!(await emptyQueue(db, request, signal))) return
  await deleteRunEndRequest(db, request)
}

/** Returns false if the signal came first. */
async function emptyQueue(
  db: Database,
  request: RunEndRequest,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  while ((await endQueued(db, request)) === runsMax) if (signal?.aborted) return false
  return true
}

/** Runs that a worker has claimed meanwhile go on. */
const endQueued = (db: Database, request: RunEndRequest): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const runs = await lockQueuedRunsOf(trx, request, runsMax)
    for (const run of runs) await cancelQueued(trx, run, 'worker')
    return runs.length
  })
