import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import type { Trx } from '../db/database.ts'
import { type NewRun, OpenQueue } from './open-queue.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { insertRuns } from './run-store.ts'

/** Queues a run in a transaction that makes more with it. Throws 429 `sandbox_queued_run_limit` or `queue_full`. */
export async function enqueueRun(trx: Trx, policy: QueuePolicy, run: NewRun): Promise<RunDetail> {
  const queue = await OpenQueue.open(trx, policy, [run])
  const { row, shown } = queue.place(run)
  await insertRuns(trx, [row])
  return shown
}
