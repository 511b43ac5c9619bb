import { type Insertable, type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { WebhookDeliveriesTable } from '../../db/tables/notifications.ts'

/** Writes the table `webhook_deliveries`. */

export type DeliveryRow = Selectable<WebhookDeliveriesTable>
export type Lane = DeliveryRow['lane']

export async function insertDeliveries(
  trx: Trx,
  rows: readonly Insertable<WebhookDeliveriesTable>[],
): Promise<void> {
  if (rows.length === 0) return
  await trx
    .insertInto('webhook_deliveries')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
    .execute()
}

/** Waiting deliveries of a webhook, counted up to `limit`. */
export async function countWaiting(
  db: Executing,
  of: { companyId: string; webhookId: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from webhook_deliveries
      where webhook_id = ${of.webhookId} and company_id = ${of.companyId} and outcome is null limit ${limit}
    ) waiting
  `.execute(db)
  return rows[0]?.count ?? 0
}

export type ClaimedDelivery = Pick<
  DeliveryRow,
  'id' | 'company_id' | 'webhook_id' | 'event_id' | 'body' | 'attempts' | 'give_up_at'
>

export interface DeliveryShare {
  lane: Lane
  now: Date
  /** Until when an attempt counts as in progress. */
  lostAt: Date
  /** Companies after this one in the order of their ids. */
  afterCompany: string
  companies: number
  /** Deliveries in all. */
  free: number
  /** Attempts of a company at once, and those in progress by company. */
  perCompany: number
  inProgress: Record<string, number>
}

export interface ClaimedRound {
  deliveries: ClaimedDelivery[]
  /** The last company that was looked at; empty where none is left after it. */
  lastCompany: string
}

/**
 * Takes due deliveries of the next companies that have some waiting, at most `free`, so that a company with many delays no
 * other. A company without a free place is passed over.
 */
export async function claimDeliveries(db: Executing, share: DeliveryShare): Promise<ClaimedRound> {
  const next = (after: ReturnType<typeof sql>) => sql`
    select d.company_id from webhook_deliveries d
    where d.lane = ${share.lane} and d.outcome is null and d.company_id > ${after}
    order by d.company_id limit 1`
  const { rows } = await sql<
    Nullable<ClaimedDelivery> & { scanned: number; last_company: string | null }
  >`${acrossCompanies('deliveries of all companies')}
    with recursive waiting as (
      (select company_id, 1 as turn from (${next(sql`${share.afterCompany}`)}) first)
      union all
      select (${next(sql`w.company_id`)}), w.turn + 1
      from waiting w where w.company_id is not null and w.turn < ${share.companies}
    ), due as (
      select d.id from waiting w cross join lateral (
        select id from webhook_deliveries
        where lane = ${share.lane} and company_id = w.company_id and outcome is null and due_at <= ${share.now}
        order by due_at
        limit greatest(0, ${share.perCompany} - coalesce((${JSON.stringify(share.inProgress)}::jsonb ->> w.company_id)::int, 0))
        for update skip locked
      ) d
      order by w.turn limit ${share.free}
    ), claimed as (
      update webhook_deliveries set attempts = attempts + 1, attempted_at = ${share.now}, due_at = ${share.lostAt}
      where id = any(array(select id from due))
      returning id, company_id, webhook_id, event_id, body, attempts, give_up_at
    ), looked as (
      select count(company_id)::int as scanned, max(company_id) as last_company from waiting
    )
    select claimed.*, looked.scanned, looked.last_company from looked left join claimed on true
  `.execute(db)
  const [first] = rows
  return {
    deliveries: rows.filter((row): row is typeof row & ClaimedDelivery => row.id !== null),
    lastCompany: first && first.scanned >= share.companies ? (first.last_company ?? '') : '',
  }
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

interface DeliveryKey {
  companyId: string
  webhookId: string
  id: string
}

export const updateDelivery = (
  db: Executing,
  key: DeliveryKey,
  set: Partial<
    Pick<DeliveryRow, 'attempts' | 'due_at' | 'error' | 'give_up_at' | 'lane' | 'outcome' | 'status'>
  >,
): Promise<DeliveryRow | undefined> =>
  db
    .updateTable('webhook_deliveries')
    .set(set)
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
