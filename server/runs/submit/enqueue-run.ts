import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Trx } from '../../db/database.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { giveSession } from './give-session.ts'
import { LockedQueues, type NewRun } from './locked-queues.ts'
import { insertRuns } from './queued-run-store.ts'

/** Queues a run within a larger transaction. Throws what `LockedQueues.enqueue` throws. */
export async function enqueueRun(trx: Trx, policy: QueuePolicy, run: NewRun): Promise<RunDetail> {
  const queue = await LockedQueues.open(trx, policy, [run])
  const { row, shown, charge } = queue.enqueue(run)
  await insertRuns(trx, [row], { charges: charge ? [charge] : [] })
  if (run.session) await giveSession(trx, row, run.session)
  return shown
}
