import {
  triggerChainMax,
  triggerEventHistoryHours,
  triggerEventsWaitingMax,
} from '@sandbox-jobs/contract/limits.ts'
import type { RowEventKind } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import { inBatches } from '../../work/sweep.ts'
import { findTable, type TableRecord } from '../catalogue/custom-table-store.ts'
import {
  chainOfRun,
  countWaitingEvents,
  dropHandledEvents,
  insertRefused,
  insertWaiting,
  lockWaitingEvent,
  recordOutcome,
  refuseWaitingEvents,
  type WaitingEvent,
} from './trigger-event-store.ts'
import { activeTriggerIds, findTrigger, recordRefusal, type TriggerRow } from './trigger-store.ts'

export { listWaitingEvents, type WaitingEvent } from './trigger-event-store.ts'

/* The outbox of row events: written with the change of a row, for whoever starts their runs. */

/** A row as a transaction leaves it, which has locked its table. */
interface RowChange {
  event: RowEventKind
  row: { id: string; version: number; values: Record<string, unknown>; byte_size: number }
  /** The run that made the change; undefined for a person or program. */
  byRun: string | undefined
}

/** Bytes that an event counts beside its values. */
const eventBytes = 512

/**
 * Writes an event for each trigger that the change starts, in the transaction of the change. One that would be a longer chain of
 * runs than allowed is refused at once. Throws `custom_table_trigger_backlog`, `storage_quota_exceeded`.
 */
export async function recordRowEvent(
  trx: Trx,
  table: TableRecord,
  { event, row, byRun }: RowChange,
): Promise<void> {
  const { company_id: companyId } = table
  const triggerIds = await activeTriggerIds(trx, table, event)
  if (triggerIds.length === 0) return
  const chain = byRun === undefined ? 1 : (await chainOfRun(trx, companyId, byRun)) + 1
  const refusal = chain > triggerChainMax ? 'trigger_chain_too_long' : undefined
  await requireRoom(trx, companyId, triggerIds.length * (eventBytes + (refusal ? 0 : row.byte_size)))
  const common = { company_id: companyId, row_id: row.id, row_version: row.version, event, chain }
  const events = triggerIds.map((trigger_id) => ({ id: newId('triggerEvent'), trigger_id, ...common }))
  if (refusal) {
    await insertRefused(trx, events, refusal)
    await recordRefusal(trx, { companyId, ids: triggerIds }, refusal)
  } else await insertWaiting(trx, events, row)
}

async function requireRoom(trx: Trx, companyId: string, bytes: number): Promise<void> {
  const waiting = await countWaitingEvents(trx, companyId, triggerEventsWaitingMax)
  if (waiting >= triggerEventsWaitingMax)
    throw new CodedError('custom_table_trigger_backlog', { limit: triggerEventsWaitingMax })
  await requireStorageQuota(trx, companyId, bytes)
}

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

const restored = 'restored_from_backup'

/**
 * Refuses every row event that had no outcome when the backup was made, and returns their number. The run of such an event may
 * have been queued, and have run, since.
 */
export async function refuseRestoredEvents(trx: Trx): Promise<number> {
  const refused = await refuseWaitingEvents(trx, restored)
  for (const [companyId, events] of Map.groupBy(refused, ({ company_id }) => company_id)) {
    const ids = [...new Set(events.map(({ trigger_id }) => trigger_id))]
    await recordRefusal(trx, { companyId, ids }, restored)
  }
  return refused.length
}

const batch = 1000
const hourMs = 3_600_000

/** One round of the sweep of events that were handled some time ago. */
export async function sweepTriggerEvents({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ removed: number }> {
  const before = new Date(clock.now().getTime() - triggerEventHistoryHours * hourMs)
  return { removed: await inBatches(batch, (limit) => dropHandledEvents(db, before, limit)) }
}
