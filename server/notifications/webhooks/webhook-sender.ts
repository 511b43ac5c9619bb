import { webhookRetryDays } from '@sandbox-jobs/contract/limits.ts'
import { type Clock, dayMs } from '../../base/clock.ts'
import type { GuardedOptions } from '../../base/guarded-requests/guarded-request.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import { openSealed } from '../../secrets/store/sealed-value.ts'
import { dueRows } from '../../work/claim-due.ts'
import { Deliveries, type LaneSlots, type Slot } from '../../work/deliveries.ts'
import { deliveryTries } from '../delivery-metrics.ts'
import { pauseUntilNext, recordDelivery } from '../redelivery.ts'
import {
  type ClaimedDelivery,
  demoteWaiting,
  dueDeliveries,
  failWaiting,
  type Lane,
  updateDelivery,
} from './delivery-store.ts'
import { guardedPost, type PostResult } from './guarded-post.ts'
import { signedHeaders } from './signature.ts'
import { listSealedSecrets, secretReference } from './webhook-secret-store.ts'
import { findWebhook, markFailing, markWorking, pauseWebhook } from './webhook-store.ts'

export interface SenderOptions {
  db: Database
  clock: Clock
  log: Log
  keys: WrappingKeys
  /** The one of this process. */
  worker: string
  post: GuardedOptions
  /** Of an attempt in the first lane; then it moves to the other one. */
  firstLaneMs?: number
  places?: Record<Lane, LaneSlots>
  pollIntervalMs?: number
}

/*
 * A delivery that has failed before, whatever waits for the same webhook, and what waits for a webhook that answers slowly
 * has places of its own: a webhook that hangs never holds a place of one that works, except for a short time when it begins
 * to hang.
 */
const defaultSlots: Record<Lane, LaneSlots> = {
  first: { all: 48, ofCompany: 3 },
  retry: { all: 64, ofCompany: 3 },
}
const firstLaneDefaultMs = 2000
/** An attempt that has not ended by then died with its process. */
const lostAfterMs = 120_000
const failingPauseMs = webhookRetryDays * dayMs
const gone = 410

/** Sends due deliveries, at least once each: a crash after the post and before its record repeats it with the same id. */
export class WebhookSender {
  readonly attempts: Deliveries<Lane, ClaimedDelivery>
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
    const { db, clock, log, worker, pollIntervalMs, places = defaultSlots } = options
    this.attempts = new Deliveries<Lane, ClaimedDelivery>({
      name: 'webhooks',
      places,
      ...dueRows(dueDeliveries, { db, worker, lostAfterMs }),
      attempt: (delivery, place) => this.#attempt(delivery, place),
      clock,
      log,
      pollIntervalMs,
    })
  }

  async #attempt(delivery: ClaimedDelivery, place: Slot<Lane>): Promise<void> {
    const { db, clock, log, post, firstLaneMs = firstLaneDefaultMs } = this.#options
    const { company_id: companyId, webhook_id: webhookId, event_id, body } = delivery
    const webhook = await findWebhook(db, { companyId, id: webhookId })
    if (!webhook) return
    if (webhook.paused_at) {
      await updateDelivery(
        db,
        { companyId, webhookId, id: delivery.id },
        { outcome: 'failed', error: 'paused' },
      )
      return
    }
    const timestamp = Math.floor(clock.now().getTime() / 1000)
    const signed = signedHeaders({ id: event_id, timestamp, body }, await this.#secrets(companyId, webhookId))
    const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Sandbox-Jobs-Webhooks' }
    const isPastLane = new AbortController()
    let isSlow = false
    const lane = setTimeout(() => {
      isSlow = true
      if (delivery.lane === 'first' && !place.moveTo('retry')) isPastLane.abort()
    }, firstLaneMs)
    try {
      const { signal } = isPastLane
      const result = await guardedPost(new URL(webhook.url), { headers, body }, { ...post, signal })
      deliveryTries.inc({ kind: 'webhook', outcome: result.error === null ? 'delivered' : 'failed' })
      await recordDelivery('record of a webhook', () => this.#record(delivery, { ...result, isSlow }), log)
    } finally {
      clearTimeout(lane)
    }
  }

  async #secrets(companyId: string, webhookId: string): Promise<Buffer[]> {
    const { db, clock, keys } = this.#options
    const sealed = await listSealedSecrets(db, { companyId, webhookId }, clock.now())
    return Promise.all(sealed.map((each) => openSealed(keys, secretReference(companyId, each.id), each)))
  }

  async #record(
    delivery: ClaimedDelivery,
    { status, error, isSlow }: PostResult & { isSlow: boolean },
  ): Promise<void> {
    const { db, clock } = this.#options
    const key = { companyId: delivery.company_id, webhookId: delivery.webhook_id, id: delivery.id }
    const webhook = { companyId: key.companyId, id: key.webhookId }
    const now = clock.now()
    await db.transaction().execute(async (trx) => {
      if (error === null) {
        await markWorking(trx, webhook, { isSlow })
        await updateDelivery(trx, key, { outcome: 'delivered', status, error })
        if (isSlow) await demoteWaiting(trx, key)
        return
      }
      const since = await markFailing(trx, webhook, now)
      const dueInMs = pauseUntilNext(delivery)
      const next =
        dueInMs === undefined ? ({ outcome: 'failed' } as const) : { dueInMs, lane: 'retry' as const }
      await updateDelivery(trx, key, { status, error, ...next })
      const because =
        status === gone
          ? 'gone'
          : since && now.getTime() - since.getTime() >= failingPauseMs
            ? 'failing'
            : null
      if (because === null) {
        await demoteWaiting(trx, key)
        return
      }
      await pauseWebhook(trx, webhook, { now, because })
      await failWaiting(trx, key, 'paused')
    })
  }
}
