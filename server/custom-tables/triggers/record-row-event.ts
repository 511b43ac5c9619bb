import { triggerChainMax, triggerEventsWaitingMax } from '@sandbox-jobs/contract/limits.ts'
import type { RowEventKind } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import type { TableRecord } from '../catalogue/custom-table-store.ts'
import { chainOfRun, countWaitingEvents, insertRefused, insertWaiting } from './trigger-event-store.ts'
import { activeTriggerIds, recordRefusal } from './trigger-store.ts'

/** A row as a transaction leaves it, which has locked its table. */
export interface RowChange {
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
