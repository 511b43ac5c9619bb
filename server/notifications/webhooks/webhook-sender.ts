import { webhookRetryDays } from '@sandbox-jobs/contract/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import type { WrappingKeys } from '../../secrets/keys/wrapping-keys.ts'
import { openSealed } from '../../secrets/store/sealed-value.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  demoteWaiting,
  failWaiting,
  type Lane,
  updateDelivery,
} from './delivery-store.ts'
import { guardedPost, type PostOptions, type PostResult } from './guarded-post.ts'
import { pauseAfter } from './retry-schedule.ts'
import { secretPlace } from './secret-place.ts'
import { signedHeaders } from './signature.ts'
import { listSealedSecrets } from './webhook-secret-store.ts'
import { findWebhook, markFailing, markWorking, pauseWebhook } from './webhook-store.ts'

export interface SenderOptions {
  db: Database
  clock: Clock
  log: Log
  keys: WrappingKeys
  post: PostOptions
  pollIntervalMs?: number
}

/*
 * Attempts of all companies at once. What has failed before, and whatever waits for the same webhook, has places of its own:
 * a webhook that hangs never holds a place of one that works. In each lane a company has few places.
 */
const places: Record<Lane, { all: number; ofCompany: number }> = {
  first: { all: 48, ofCompany: 3 },
  retry: { all: 16, ofCompany: 2 },
}
/** More than can be without a free place at once. */
const companiesPerRound = 100
const lanes: readonly Lane[] = ['first', 'retry']
/** An attempt that has not ended by then died with its process. */
const lostAfterMs = 120_000
const failingPauseMs = webhookRetryDays * 86_400_000
const gone = 410

/** Sends due deliveries, at least once each: a crash after the post and before its record repeats it with the same id. */
export class WebhookSender {
  readonly #options: SenderOptions
  readonly #active: Record<Lane, Map<string, number>> = { first: new Map(), retry: new Map() }
  readonly #attempts = new Set<Promise<void>>()
  readonly #after: Record<Lane, string> = { first: '', retry: '' }
  #ticker: Ticker | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  start(): this {
    const { log, pollIntervalMs = 1000 } = this.#options
    this.#ticker = startTicker({
      name: 'webhooks',
      tick: () => this.claim(),
      intervalMs: pollIntervalMs,
      log,
    })
    return this
  }

  /** Attempts in progress are awaited: each is bounded by its timeout. */
  async stop(): Promise<void> {
    await this.#ticker?.stop()
    await this.idle()
  }

  async idle(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all(this.#attempts)
  }

  /** Starts attempts while places are free. Returns their number. */
  async claim(): Promise<number> {
    let started = 0
    for (const lane of lanes) started += await this.#claimIn(lane)
    return started
  }

  async #claimIn(lane: Lane): Promise<number> {
    const { db, clock } = this.#options
    const inProgress = this.#active[lane]
    const free = places[lane].all - [...inProgress.values()].reduce((sum, each) => sum + each, 0)
    if (free <= 0) return 0
    const now = clock.now()
    const { deliveries, lastCompany } = await claimDeliveries(db, {
      lane,
      now,
      lostAt: new Date(now.getTime() + lostAfterMs),
      afterCompany: this.#after[lane],
      companies: companiesPerRound,
      free,
      perCompany: places[lane].ofCompany,
      inProgress: Object.fromEntries(inProgress),
    })
    const claimed = deliveries.map(({ company_id }) => company_id).toSorted()
    // Where the places were too few, those who got none are next.
    this.#after[lane] = deliveries.length < free ? lastCompany : (claimed.at(-1) ?? '')
    for (const delivery of deliveries) this.#start(lane, delivery)
    return deliveries.length
  }

  #start(lane: Lane, delivery: ClaimedDelivery): void {
    const active = this.#active[lane]
    const { company_id } = delivery
    active.set(company_id, (active.get(company_id) ?? 0) + 1)
    const attempt = this.#attempt(delivery)
      .catch((error: unknown) => {
        this.#options.log.warn(
          { delivery: delivery.id, error: String(error) },
          'attempt of a webhook not recorded',
        )
      })
      .finally(() => {
        const left = (active.get(company_id) ?? 1) - 1
        if (left > 0) active.set(company_id, left)
        else active.delete(company_id)
        this.#attempts.delete(attempt)
        this.#ticker?.wake()
      })
    this.#attempts.add(attempt)
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { db, clock, post } = this.#options
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
    await this.#record(delivery, await guardedPost(new URL(webhook.url), { headers, body }, post))
  }

  async #secrets(companyId: string, webhookId: string): Promise<Buffer[]> {
    const { db, clock, keys } = this.#options
    const sealed = await listSealedSecrets(db, { companyId, webhookId }, clock.now())
    return Promise.all(sealed.map((each) => openSealed(keys, secretPlace(companyId, each.id), each)))
  }

  async #record(delivery: ClaimedDelivery, { status, error }: PostResult): Promise<void> {
    const { db, clock } = this.#options
    const key = { companyId: delivery.company_id, webhookId: delivery.webhook_id, id: delivery.id }
    const webhook = { companyId: key.companyId, id: key.webhookId }
    const now = clock.now()
    await db.transaction().execute(async (trx) => {
      if (error === null) {
        await markWorking(trx, webhook)
        await updateDelivery(trx, key, { outcome: 'delivered', status, error })
        return
      }
      const since = await markFailing(trx, webhook, now)
      const dueAt = new Date(now.getTime() + pauseAfter(delivery.attempts, delivery.id))
      const isLast = dueAt > delivery.give_up_at
      const next = isLast ? ({ outcome: 'failed' } as const) : { due_at: dueAt, lane: 'retry' as const }
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
