import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import type { Database, Trx } from '../db/database.ts'
import { transition } from '../db/transition.ts'
import { failed } from './run-outcome.ts'
import { cancelChannel, notify, type RunRow } from './run-store.ts'

/**
 * Asks for a run's end: a queued one ends at once, one in a worker's hands when its sandbox has. A run that has ended,
 * or whose end was asked for before, stays as it is.
 */
export async function cancelRun(db: Database, run: Pick<RunRow, 'id'>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (await cancelQueued(trx, run.id)) return
    const left = await transition(trx, {
      table: 'runs',
      machine: runMachine,
      id: run.id,
      to: 'cancel_requested',
      from: ['starting', 'running'],
      set: { cancel_requested_at: sql`clock_timestamp()` },
    })
    if (left !== undefined) await notify(trx, cancelChannel, run.id)
  })
}

/** Ends a run that no worker has claimed. False when one has, or it has ended. */
export async function cancelQueued(trx: Trx, id: string): Promise<boolean> {
  const { state, ...columns } = failed('cancelled')
  const left = await transition(trx, {
    table: 'runs',
    machine: runMachine,
    id,
    to: state,
    from: ['queued'],
    set: { ...columns, cancel_requested_at: sql`clock_timestamp()`, terminal_at: sql`clock_timestamp()` },
  })
  return left !== undefined
}
