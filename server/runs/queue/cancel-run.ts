import { sql } from 'kysely'
import { systemClock } from '../../base/clock.ts'
import type { Database, Trx } from '../../db/database.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { transition } from '../../db/transition.ts'
import type { TracedProcess } from '../../tracing/span.ts'
import { reportRunEnd } from '../model/report-run-end.ts'
import { failed } from '../model/run-outcome.ts'
import type { RunRow } from '../model/run-row.ts'
import { cancelChannel, killChannel, lockQueuedRunsOfTask } from '../model/run-store.ts'
import { cancelledInQueue, cancelRequested } from '../model/run-transitions.ts'

/**
 * Requests the cancellation of a run. A queued run ends at once; a claimed run ends when its sandbox has ended, whose processes
 * have some time to end by themselves. A second request, or one `at once`, kills them. A run that has ended is not changed.
 */
export async function cancelRun(
  db: Database,
  run: Pick<RunRow, 'id' | 'company_id'>,
  manner: 'gently' | 'at once' = 'gently',
  process: TracedProcess = 'api',
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (await cancelQueued(trx, run, process)) return
    const left = await transition(trx, {
      ...cancelRequested({ id: run.id, companyId: run.company_id }),
      set: { cancel_requested_at: sql`clock_timestamp()` },
    })
    if (left !== undefined) await notifyAfterCommit(trx, cancelChannel, run.id)
    // Without an effect on a run that has ended.
    if (left === undefined || manner === 'at once') await notifyAfterCommit(trx, killChannel, run.id)
  })
}

/** Ends a run that no worker has claimed. Returns false if it is claimed or has ended. */
export async function cancelQueued(
  trx: Trx,
  run: Pick<RunRow, 'id' | 'company_id'>,
  process: TracedProcess = 'api',
): Promise<boolean> {
  const outcome = failed('cancelled')
  const { state: _, ...columns } = outcome
  const left = await transition(trx, {
    ...cancelledInQueue({ id: run.id, companyId: run.company_id }),
    set: { ...columns, cancel_requested_at: sql`clock_timestamp()`, terminal_at: sql`clock_timestamp()` },
  })
  if (left === undefined) return false
  // Before the commit: if that fails, it is reported once more at the next try.
  const { id, company_id: companyId } = run
  reportRunEnd({ id, companyId, outcome, endMs: systemClock.now().getTime(), process })
  return true
}

/** Cancels the queued runs of a task, in the transaction that archives it. Runs that a worker holds continue. */
export async function cancelQueuedRunsOfTask(trx: Trx, companyId: string, taskId: string): Promise<void> {
  for (const run of await lockQueuedRunsOfTask(trx, companyId, taskId)) await cancelQueued(trx, run)
}
