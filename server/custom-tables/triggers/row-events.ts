import type { Database, Executing, Trx } from '../../db/database.ts'
import { findTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import { lockWaitingEvent, recordOutcome, type WaitingEvent } from './trigger-event-store.ts'
import { findTrigger, recordRefusal, type TriggerRow } from './trigger-store.ts'

export { listWaitingEvents, type WaitingEvent } from './trigger-event-store.ts'

/* The outbox of row events, for whoever starts their runs. */

/** The trigger of an event as it is now, with its table. */
export async function declarationOf(
  db: Executing,
  { company_id: companyId, trigger_id }: WaitingEvent,
): Promise<{ trigger: TriggerRow; table: TableRecord }> {
  const trigger = await findTrigger(db, companyId, trigger_id)
  const table = trigger && (await findTable(db, companyId, trigger.table_id))
  if (!trigger || !table) throw new Error('an event is without its trigger')
  return { trigger, table }
}

/** Queues the run of an event and records it, both or neither; does nothing if the event has an outcome. */
export const startEvent = (
  db: Database,
  event: WaitingEvent,
  queueRun: (trx: Trx) => Promise<{ id: string }>,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (!(await lockWaitingEvent(trx, event))) return
    const { id } = await queueRun(trx)
    await recordOutcome(trx, event, { outcome: 'started', run_id: id })
  })

/** Records why an event starts no run, unless it has an outcome. */
export const refuseEvent = (db: Database, event: WaitingEvent, code: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (!(await lockWaitingEvent(trx, event))) return
    await recordOutcome(trx, event, { outcome: 'refused', error_code: code })
    await recordRefusal(trx, { companyId: event.company_id, ids: [event.trigger_id] }, code)
  })
