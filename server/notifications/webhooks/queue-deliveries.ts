import { webhookWaitingMax } from '@sandbox-jobs/contract/limits.ts'
import { newId } from '../../base/ids.ts'
import type { Trx } from '../../db/database.ts'
import type { Notice } from '../notice.ts'
import type { NoticeSink } from '../notifier.ts'
import { laneOf } from './deliveries.ts'
import { countWaiting, insertDeliveries } from './delivery-store.ts'
import { countDropped, lockWebhookRows, type WebhookRow } from './webhook-store.ts'

/** Queues a delivery of each notice for each webhook of its company that wants the event. */
export const queueDeliveries: NoticeSink = async (trx, addressed) => {
  const companyIds = [...new Set(addressed.map(({ notice }) => notice.companyId))]
  if (companyIds.length === 0) return
  // One that is deleted meanwhile would end the round, which is one transaction for many companies.
  const webhooks = await lockWebhookRows(trx, companyIds)
  if (webhooks.length === 0) return
  const events = addressed.map(({ notice }) => ({ notice, id: newId('notificationEvent') }))
  for (const webhook of webhooks.filter(({ paused_at }) => paused_at === null)) {
    const wanted = events.filter(({ notice }) => wants(webhook, notice))
    if (wanted.length > 0) await queue(trx, webhook, wanted)
  }
}

const wants = ({ company_id, events }: WebhookRow, notice: Notice): boolean =>
  notice.companyId === company_id && (events.length === 0 || events.includes(notice.event))

interface Event {
  notice: Notice
  id: string
}

async function queue(trx: Trx, webhook: WebhookRow, events: readonly Event[]): Promise<void> {
  const of = { companyId: webhook.company_id, webhookId: webhook.id }
  const free = webhookWaitingMax - (await countWaiting(trx, of, webhookWaitingMax))
  const queued = events.slice(0, free)
  await insertDeliveries(
    trx,
    queued.map(({ notice, id }) => ({
      id: newId('webhookDelivery'),
      company_id: webhook.company_id,
      webhook_id: webhook.id,
      event_id: id,
      event: notice.event,
      body: bodyOf(notice),
      lane: laneOf(webhook),
      attempted_at: null,
      status: null,
      error: null,
      outcome: null,
    })),
  )
  const dropped = events.length - queued.length
  if (dropped > 0) await countDropped(trx, { companyId: webhook.company_id, id: webhook.id }, dropped)
}

/** The form that Standard Webhooks recommends: `type`, `timestamp` and `data`. */
const bodyOf = (notice: Notice): string =>
  JSON.stringify({
    type: notice.event,
    timestamp: notice.at.toISOString(),
    data: {
      company_id: notice.companyId,
      title: notice.title,
      deep_link: notice.deepLink,
      subject_type: notice.subjectType,
      subject_id: notice.subjectId,
      chatroom_id: notice.chatroomId,
      count: notice.count,
      ...(notice.run && {
        run: {
          id: notice.run.id,
          state: notice.run.state,
          error_code: notice.run.error_code,
          submission_source: notice.run.submission_source,
        },
      }),
    },
  })
