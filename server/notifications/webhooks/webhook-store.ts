import { type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { WebhooksTable } from '../../db/tables/notifications.ts'

/** Writes the table `webhooks`. */

export type WebhookRow = Selectable<WebhooksTable>

export const insertWebhook = (
  trx: Trx,
  row: Pick<WebhookRow, 'id' | 'company_id' | 'url' | 'description' | 'events' | 'created_by'>,
): Promise<WebhookRow> => trx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow()

/** Locks the company's webhooks against concurrent additions, and counts them. */
export async function lockWebhookCount(trx: Trx, companyId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${companyId}`}, 0))`.execute(trx)
  const { count } = await trx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return count
}

/** At most `webhooksPerCompany` a company. */
export const listWebhookRows = (db: Executing, companyIds: readonly string[]): Promise<WebhookRow[]> =>
  db.selectFrom('webhooks').selectAll().where('company_id', 'in', companyIds).orderBy('id').execute()

/** The same, none of which can be deleted until the transaction ends. */
export const lockWebhookRows = (trx: Trx, companyIds: readonly string[]): Promise<WebhookRow[]> =>
  trx
    .selectFrom('webhooks')
    .selectAll()
    .where('company_id', 'in', companyIds)
    .orderBy('id')
    .forKeyShare()
    .execute()

interface WebhookKey {
  companyId: string
  id: string
}

export const findWebhook = (db: Executing, key: WebhookKey): Promise<WebhookRow | undefined> =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .executeTakeFirst()

/** The same, locked until the transaction ends. */
export const lockWebhook = (trx: Trx, key: WebhookKey): Promise<WebhookRow | undefined> =>
  trx
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .forUpdate()
    .executeTakeFirst()

export const updateWebhookRow = (
  db: Executing,
  key: WebhookKey,
  set: Partial<Omit<WebhookRow, 'id' | 'company_id'>>,
): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    .set(set)
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .returningAll()
    .executeTakeFirst()

export const deleteWebhookRow = (db: Executing, key: WebhookKey): Promise<WebhookRow | undefined> =>
  db
    .deleteFrom('webhooks')
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .returningAll()
    .executeTakeFirst()

export const countDropped = (trx: Trx, key: WebhookKey, events: number): Promise<unknown> =>
  trx
    .updateTable('webhooks')
    .set({ dropped: sql`least(dropped::bigint + ${events}, 2000000000)::int` })
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .execute()

/** The last attempt succeeded. */
export const markWorking = (trx: Trx, key: WebhookKey, { isSlow }: { isSlow: boolean }): Promise<unknown> =>
  trx
    .updateTable('webhooks')
    .set({ failing_since: null, is_slow: isSlow })
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where((eb) => eb.or([eb('failing_since', 'is not', null), eb('is_slow', '!=', isSlow)]))
    .execute()

/** The last attempt failed. Returns since when none has succeeded. */
export async function markFailing(trx: Trx, key: WebhookKey, now: Date): Promise<Date | undefined> {
  const row = await trx
    .updateTable('webhooks')
    .set({ failing_since: sql`coalesce(failing_since, ${now})` })
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .returning('failing_since')
    .executeTakeFirst()
  return row?.failing_since ?? undefined
}

export const pauseWebhook = (
  trx: Trx,
  key: WebhookKey,
  { now, because }: { now: Date; because: 'gone' | 'failing' },
): Promise<unknown> =>
  trx
    .updateTable('webhooks')
    .set({ paused_at: now, paused_because: because })
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .where('paused_at', 'is', null)
    .execute()
