import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transition } from '../db/transition.ts'
import type { ClaimedRun } from './claim-store.ts'
import { givenBack, running } from './run-moves.ts'
import { notify, queuedChannel } from './run-store.ts'

/** Where a claimed run stands: `lost` when it is another worker's by now or has ended. */
export type Standing = RunState | 'lost'

/** Notes that the sandbox runs; a run whose end was asked for meanwhile stays as it is. */
export async function markRunning(db: Database, run: ClaimedRun): Promise<Standing> {
  const left = await transition(db, { ...running(run), set: { started_at: sql`clock_timestamp()` } })
  return left === undefined ? standingOf(db, run) : 'running'
}

/** Gives a run back that was proved never to have started; the sandbox it was to have is forbidden. */
export async function requeue(db: Database, run: ClaimedRun): Promise<Standing> {
  const left = await db.transaction().execute(async (trx) => {
    const from = await transition(trx, { ...givenBack(run), set: { worker: null, lease_until: null } })
    if (from !== undefined) await notify(trx, queuedChannel)
    return from
  })
  return left === undefined ? standingOf(db, run) : 'queued'
}

async function standingOf(db: Database, run: ClaimedRun): Promise<Standing> {
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
