import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { transition } from '../../db/transition.ts'
import type { ClaimedRun, ClaimStatus } from '../model/claimed-run.ts'
import { queuedChannel } from '../model/run-store.ts'
import { requeued, running } from '../model/run-transitions.ts'

/** Records that the sandbox runs. A run with a cancel request is not changed. */
export async function markRunning(db: Database, run: ClaimedRun): Promise<ClaimStatus> {
  const left = await transition(db, { ...running(run), set: { started_at: sql`clock_timestamp()` } })
  return left === undefined ? claimStatusOf(db, run) : 'running'
}

/** Queues a run again that provably never started. Its sandbox must be forbidden before. */
export async function requeue(db: Database, run: ClaimedRun): Promise<ClaimStatus> {
  const left = await db.transaction().execute(async (trx) => {
    const from = await transition(trx, { ...requeued(run), set: { worker: null, lease_until: null } })
    if (from !== undefined) await notifyAfterCommit(trx, queuedChannel)
    return from
  })
  return left === undefined ? claimStatusOf(db, run) : 'queued'
}

async function claimStatusOf(db: Database, run: ClaimedRun): Promise<ClaimStatus> {
  const row = await db
    .selectFrom('runs')
    .select('state')
    .where('id', '=', run.id)
    .where('company_id', '=', run.companyId)
    .where('fence', '=', run.fence)
    .where('terminal_at', 'is', null)
    .executeTakeFirst()
  return (row?.state as RunState | undefined) ?? 'lost'
}
