import { catalogPageSizeDefault, webhookHistoryMax } from '@sandbox-jobs/contract/limits.ts'
import {
  type WebhookDelivery,
  type WebhookDeliveryList,
  webhookTestEvent,
} from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import type { Database } from '../../db/database.ts'
import {
  type DeliveryRow,
  deleteOldDeliveries,
  findWaiting,
  giveUpInMs,
  insertDeliveries,
  type Lane,
  listDeliveryRows,
  updateDelivery,
} from './delivery-store.ts'
import { lockWebhook, type WebhookRow } from './webhook-store.ts'
import { requireWebhook, type WebhookDeps } from './webhooks.ts'

/** Newest first. Throws `not_found`. */
export async function listDeliveries(
  deps: WebhookDeps,
  principal: Principal,
  webhookId: string,
  query: PageRequest,
): Promise<WebhookDeliveryList> {
  await requireWebhook(deps, principal, webhookId)
  const size = query.page_size ?? catalogPageSizeDefault
  const list = `deliveries:${webhookId}`
  const cursor = deps.pages.read(list, query.page_token)
  const of = { companyId: principal.companyId, webhookId }
  const rows = await listDeliveryRows(deps.db, of, { before: cursor && Number(cursor[0]), limit: size + 1 })
  return deps.pages.page(list, rows, size, { item: render, cursor: (row) => [row.place] })
}

/** Attempts a delivery again from the start, under the same event id. Throws `not_found`. */
export async function redeliver(
  deps: WebhookDeps,
  principal: Principal,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<WebhookDelivery> {
  await requireWebhook(deps, principal, webhookId)
  const set = { attempts: 0, dueInMs: 0, giveUpInMs, outcome: null } as const
  const row = await updateDelivery(deps.db, { companyId: principal.companyId, webhookId, id }, set)
  if (!row) throw notFound()
  return render(row)
}

/**
 * Queues a test event, unless one waits already. It is inserted as ended and then delivered again, which the audit log
 * records. Throws `not_found`, `webhook_paused`.
 */
export async function testWebhook(
  deps: WebhookDeps,
  principal: Principal,
  webhookId: string,
): Promise<WebhookDelivery> {
  await requireWebhook(deps, principal, webhookId)
  const of = { companyId: principal.companyId, webhookId }
  return deps.db.transaction().execute(async (trx) => {
    // So that of two tests at once the second finds the first.
    const webhook = await lockWebhook(trx, { companyId: of.companyId, id: webhookId })
    if (!webhook) throw notFound()
    if (webhook.paused_at !== null) throw new CodedError('webhook_paused')
    const waiting = await findWaiting(trx, of, webhookTestEvent)
    if (waiting) return render(waiting)
    const row = testRow(webhook, deps.clock.now())
    await insertDeliveries(trx, [row])
    const queued = await updateDelivery(trx, { ...of, id: row.id }, { outcome: null })
    if (!queued) throw new Error(`the test ${row.id} was not queued`)
    return render(queued)
  })
}

function testRow({ company_id, id, failing_since, is_slow }: WebhookRow, now: Date) {
  return {
    id: newId('webhookDelivery'),
    company_id,
    webhook_id: id,
    event_id: newId('notificationEvent'),
    event: webhookTestEvent,
    body: JSON.stringify({ type: webhookTestEvent, timestamp: now.toISOString(), data: { company_id } }),
    lane: laneOf({ failing_since, is_slow }),
    attempted_at: null,
    status: null,
    error: null,
    outcome: 'failed' as const,
  }
}

/** Deliveries of a webhook that is slow or fails do not delay those of others. */
export const laneOf = ({ failing_since, is_slow }: Pick<WebhookRow, 'failing_since' | 'is_slow'>): Lane =>
  failing_since === null && !is_slow ? 'first' : 'retry'

const render = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  event_id: row.event_id,
  event: row.event as WebhookDelivery['event'],
  state: row.outcome ?? 'waiting',
  attempts: row.attempts,
  last_attempt_at: row.attempted_at?.toISOString() ?? null,
  last_status: row.status,
  last_error: row.error,
  next_attempt_at: row.outcome === null ? row.due_at.toISOString() : null,
  created_at: row.created_at.toISOString(),
})

const sweepBatch = 1000

/** One round of the loop that deletes old deliveries. */
export const sweepDeliveries = async ({ db }: { db: Database }): Promise<{ deliveries: number }> => ({
  deliveries: await deleteOldDeliveries(db, { keep: webhookHistoryMax, limit: sweepBatch }),
})
