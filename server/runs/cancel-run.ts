import { sql } from 'kysely'
import type { Database, Trx } from '../db/database.ts'
import { transition } from '../db/transition.ts'
import { cancelAsked, cancelledInQueue } from './run-moves.ts'
import { failed } from './run-outcome.ts'
import { cancelChannel, notify, type RunRow } from './run-store.ts'

/**
 * Asks for a run's end: a queued one ends at once, one in a worker's hands when its sandbox has. A run that has ended,
 * or whose end was asked for before, stays as it is.
 */
export async function cancelRun(db: Database, run: Pick<RunRow, 'id' | 'company_id'>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (await cancelQueued(trx, run)) return
    const left = await transition(trx, {
      ...cancelAsked({ id: run.id, companyId: run.company_id }),
      set: { cancel_requested_at: sql`clock_timestamp()` },
    })
    if (left !== undefined) await notify(trx, cancelChannel, run.id)
  })
}

/** Ends a run that no worker has claimed. False when one has, or it has ended. */
export async function cancelQueued(trx: Trx, run: Pick<RunRow, 'id' | 'company_id'>): Promise<boolean> {
  const { state: _, ...columns } = failed('cancelled')
  const left = await transition(trx, {
    ...cancelledInQueue({ id: run.id, companyId: run.company_id }),
    set: { ...columns, cancel_requested_at: sql`clock_timestamp()`, terminal_at: sql`clock_timestamp()` },
  })
  return left !== undefined
}
