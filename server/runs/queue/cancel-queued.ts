import type { Trx } from '../../db/database.ts'
import { lockQueuedRunsOfTask } from '../model/run-store.ts'
import { cancelQueued } from './cancel-run.ts'

/** Cancels the queued runs of a task, in the transaction that archives it. Runs that a worker holds continue. */
export async function cancelQueuedRunsOfTask(trx: Trx, companyId: string, taskId: string): Promise<void> {
  for (const run of await lockQueuedRunsOfTask(trx, companyId, taskId)) await cancelQueued(trx, run)
}
