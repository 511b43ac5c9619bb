import type { Trx } from '../db/database.ts'
import { cancelQueued } from './cancel-run.ts'
import { lockQueuedRunsOfTask } from './run-store.ts'

/** Cancels what is queued of a task, in the transaction that archives it. Runs that a worker holds go on. */
export async function cancelQueuedRunsOfTask(trx: Trx, companyId: string, taskId: string): Promise<void> {
  for (const run of await lockQueuedRunsOfTask(trx, companyId, taskId)) await cancelQueued(trx, run)
}
