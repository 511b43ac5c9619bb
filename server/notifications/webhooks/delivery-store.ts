import { webhookRetryDays } from '@sandbox-jobs/contract/limits.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import { dayMs } from '../../base/clock.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import { countUpTo } from '../../db/count-up-to.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { WebhookDeliveriesTable } from '../../db/tables/notifications.ts'
import type { DueTable } from '../../work/claim-due.ts'
import { type DueTimes, dueTimes, inMs } from '../../work/due-times-statement.ts'

/** Writes the table `webhook_deliveries`. */

export type DeliveryRow = Selectable<WebhookDeliveriesTable>
export type Lane = DeliveryRow['lane']

/** How long attempts of a delivery are repeated. */
export const giveUpInMs: number = webhookRetryDays * dayMs

export async function insertDeliveries(
  trx: Trx,
  rows: readonly Omit<Insertable<WebhookDeliveriesTable>, 'due_at' | 'give_up_at'>[],
): Promise<void> {
  if (rows.length === 0) return
  const times = { due_at: inMs(0), give_up_at: inMs(giveUpInMs) }
  await trx
    .insertInto('webhook_deliveries')
    .values(rows.map((row) => ({ ...row, ...times })))
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
    .execute()
}

/** Waiting deliveries of a webhook, counted up to `limit`. */
export const countWaiting = (
  db: Executing,
  of: { companyId: string; webhookId: string },
  limit: number,
): Promise<number> =>
  countUpTo(
    db,
    sql`select from webhook_deliveries
      where webhook_id = ${of.webhookId} and company_id = ${of.companyId} and outcome is null`,
    limit,
  )

/** A delivery of the event that waits, the oldest first. */
export const findWaiting = (
  db: Executing,
  of: { companyId: string; webhookId: string },
  event: string,
): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', of.webhookId)
    .where('company_id', '=', of.companyId)
    .where('outcome', 'is', null)
    .where('event', '=', event)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst()

export type ClaimedDelivery = Pick<
  DeliveryRow,
  | 'id'
  | 'company_id'
  | 'webhook_id'
  | 'event_id'
  | 'body'
  | 'lane'
  | 'attempts'
  | 'attempted_at'
  | 'give_up_at'
>

export const dueDeliveries: DueTable<ClaimedDelivery> = {
  table: 'webhook_deliveries',
  columns: ['webhook_id', 'event_id', 'body', 'lane', 'attempts', 'attempted_at', 'give_up_at'],
}

interface DeliveryKey {
  companyId: string
  webhookId: string
  id: string
}

export const updateDelivery = (
  db: Executing,
  key: DeliveryKey,
  {
    dueInMs,
    giveUpInMs: endsInMs,
    ...set
  }: Partial<Pick<DeliveryRow, 'attempts' | 'error' | 'lane' | 'outcome' | 'status'>> & DueTimes,
): Promise<DeliveryRow | undefined> =>
  db
    .updateTable('webhook_deliveries')
    .set({ ...set, ...dueTimes({ dueInMs, giveUpInMs: endsInMs }) })
    .where('id', '=', key.id)
    .where('webhook_id', '=', key.webhookId)
    .where('company_id', '=', key.companyId)
    .returningAll()
    .executeTakeFirst()

/** Waiting deliveries of a webhook whose attempt failed no longer delay those of others. */
export const demoteWaiting = (trx: Trx, of: Omit<DeliveryKey, 'id'>): Promise<unknown> =>
  trx
    .updateTable('webhook_deliveries')
    .set({ lane: 'retry' })
    .where('webhook_id', '=', of.webhookId)
    .where('company_id', '=', of.companyId)
    .where('outcome', 'is', null)
    .where('lane', '=', 'first')
    .execute()

/** Ends what waits for a webhook that is paused. */
export const failWaiting = (trx: Trx, of: Omit<DeliveryKey, 'id'>, error: string): Promise<unknown> =>
  trx
    .updateTable('webhook_deliveries')
    .set({ outcome: 'failed', error })
    .where('webhook_id', '=', of.webhookId)
    .where('company_id', '=', of.companyId)
    .where('outcome', 'is', null)
    .execute()

export async function listDeliveryRows(
  db: Executing,
  of: Omit<DeliveryKey, 'id'>,
  list: { before: number | undefined; limit: number },
): Promise<DeliveryRow[]> {
  let query = db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', of.webhookId)
    .where('company_id', '=', of.companyId)
    .orderBy('place', 'desc')
    .limit(list.limit)
  if (list.before !== undefined) query = query.where('place', '<', list.before)
  return query.execute()
}

/** Deletes ended deliveries beyond the newest `keep` of each webhook, at most `limit` of each. */
export async function deleteOldDeliveries(
  db: Executing,
  { keep, limit }: { keep: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from webhook_deliveries where id = any(array(
      select old.id from webhooks w cross join lateral (
        select id, outcome from webhook_deliveries where webhook_id = w.id order by place desc offset ${keep} limit ${limit}
      ) old where old.outcome is not null
    ))
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
