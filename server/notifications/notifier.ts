import { notificationsPerUser } from '@sandbox-jobs/contract/limits.ts'
import type { Log } from '../base/logging.ts'
import type { Database, Trx } from '../db/database.ts'
import { CompanyRounds, type Round } from '../fairness/company-rounds.ts'
import { takeEvents } from '../work/outbox.ts'
import { startTicker, type Ticker } from '../work/ticker.ts'
import { type AddressedNotice, composeNotices } from './compose-notices.ts'
import { deleteBeyond, insertNotifications } from './notification-store.ts'

const companiesPerRound = 50
const eventsPerCompany = 20
const pollIntervalMs = 1000

/** Other writes for notices, in the same transaction. */
export type NoticeSink = (trx: Trx, addressed: readonly AddressedNotice[]) => Promise<void>

/**
 * Notifies of events. Deleting an event and writing what it leads to is one transaction: after a crash the event is either
 * still there or handled, so each recipient is notified once. Nothing here opens a connection.
 */
export class Notifier {
  readonly #db: Database
  readonly #sinks: readonly NoticeSink[]
  readonly #rounds = new CompanyRounds(companiesPerRound, (after) => this.#round(after))

  constructor(db: Database, sinks: readonly NoticeSink[] = []) {
    this.#db = db
    this.#sinks = sinks
  }

  /** One round over the next companies in turn. Returns the number of events. */
  notifyOnce(): Promise<number> {
    return this.#rounds.once()
  }

  /** Rounds until no event is left, or the signal fires. */
  notifyAll(signal?: AbortSignal): Promise<number> {
    return this.#rounds.all(signal)
  }

  async #round(afterCompany: string): Promise<Round> {
    const events = await this.#db.transaction().execute(async (trx) => {
      const taken = await takeEvents(trx, {
        afterCompany,
        companies: companiesPerRound,
        perCompany: eventsPerCompany,
      })
      if (taken.length > 0) await this.#write(trx, await composeNotices(trx, taken))
      return taken
    })
    return { handled: events.length, companies: events.map(({ company_id }) => company_id) }
  }

  async #write(trx: Trx, addressed: readonly AddressedNotice[]): Promise<void> {
    await insertNotifications(trx, addressed)
    const userIds = [...new Set(addressed.flatMap((each) => each.userIds))]
    if (userIds.length > 0) await deleteBeyond(trx, userIds, notificationsPerUser)
    for (const sink of this.#sinks) await sink(trx, addressed)
  }
}

/** The loop of the worker. It polls: a delay of a second is short for people. */
export const startNotifier = (notifier: Notifier, log: Log): Ticker =>
  startTicker({
    name: 'notifications',
    tick: (signal) => notifier.notifyAll(signal),
    intervalMs: pollIntervalMs,
    log,
  })
