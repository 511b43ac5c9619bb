import { EventEmitter } from 'node:events'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Listener, listen } from '../work/listener.ts'
import {
  type ChangeSubscription,
  CompanyChanges,
  companyChangesChannel,
  companyEvent,
} from './company-changes.ts'

/** Notified by followers of a log; the payload is the id of its run or build. */
export const liveLogChannel = 'live_logs'
/** Notified by the worker that has stored a new part of a log; the payload is the id of its run or build. */
export const logUpdatesChannel = 'live_log_news'
/** Notified by changes of state that followers wait for; the payload is the id of the run or build. */
export const stateChangesChannel = 'state_changes'

const reconnected = Symbol('reconnected')

/** Notifies followers of new parts of logs and of states, and of what changes in a company. */
export interface LogUpdates {
  of(subjectId: string): LogSubscription
  changesOf(companyId: string): ChangeSubscription
}

/** The subscription of one follower. */
export interface LogSubscription {
  /** Resolves when there has been a notification since it last resolved, or after `withinMs`. */
  next(withinMs: number): Promise<void>
  close(): void
}

/** Listens for new parts of live logs, on a connection that is open while a log has followers. */
export class DatabaseLogUpdates implements LogUpdates {
  readonly #options: { url: string; log: Log }
  readonly #events = new EventEmitter().setMaxListeners(0)
  #subscriptions = 0
  #listener: Listener | undefined

  constructor(options: { url: string; log: Log }) {
    this.#options = options
  }

  of(subjectId: string): LogSubscription {
    const subscription = new Subscription(() => {
      this.#events.off(subjectId, subscription.notify).off(reconnected, subscription.notify)
      this.#leave()
    })
    this.#events.on(subjectId, subscription.notify).on(reconnected, subscription.notify)
    this.#enter()
    return subscription
  }

  changesOf(companyId: string): ChangeSubscription {
    const changes = new CompanyChanges(this.#events, companyId, reconnected, () => this.#leave())
    this.#enter()
    return changes
  }

  #enter(): void {
    this.#subscriptions += 1
    this.#listener ??= listen({
      ...this.#options,
      channels: [logUpdatesChannel, stateChangesChannel, companyChangesChannel],
      onNotification: (channel, payload) => {
        if (channel !== companyChangesChannel) return void this.#events.emit(payload)
        const [companyId = '', kind, id] = payload.split(' ')
        this.#events.emit(companyEvent(companyId), kind, id)
      },
      onListening: () => this.#events.emit(reconnected),
    })
  }

  #leave(): void {
    this.#subscriptions -= 1
    if (this.#subscriptions > 0) return
    void this.#listener?.stop()
    this.#listener = undefined
  }
}

class Subscription implements LogSubscription {
  readonly close: () => void
  #pending = Promise.withResolvers<void>()

  constructor(close: () => void) {
    this.close = close
  }

  readonly notify = (): void => this.#pending.resolve()

  async next(withinMs: number): Promise<void> {
    const late = new AbortController()
    await Promise.race([this.#pending.promise, sleep(withinMs, late.signal)])
    late.abort()
    this.#pending = Promise.withResolvers<void>()
  }
}
