import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { ownedBy } from '../../access/allow.ts'
import { sleep } from '../../base/clock.ts'

/** An event of a company, as it was read for all of its streams. */
export interface CompanyEvent {
  /** Its subject: a later event about the same one replaces it. */
  subject: string
  /** The room whose readers may see it. */
  roomId?: string
  /** The only person who may see it. */
  userId?: string
  /** The environment whose readers may see it. */
  environment?: Parameters<typeof ownedBy>[0]
  event: LiveEvent
}

/** Events that wait for a stream. With more of them its reader has to read everything anew. */
const waitingMax = 1000

/** Events that one stream has not passed on yet: the newest of each subject. */
export class PendingEvents {
  readonly #events = new Map<string, CompanyEvent>()
  #isComplete = true
  #failure: { error: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  add(events: readonly CompanyEvent[]): void {
    for (const each of events) this.#set(each)
    if (events.length > 0) this.#changed.resolve()
  }

  /** Events are missing. */
  lose(): void {
    this.#isComplete = false
    this.#changed.resolve()
  }

  /** There are no more events: `take` throws this error. */
  fail(error: unknown): void {
    this.#failure = { error }
    this.#changed.resolve()
  }

  /** Keeps an event for the next call of `take`, unless there is a newer one. Does not resolve `next`. */
  keep(event: CompanyEvent): void {
    if (!this.#events.has(event.subject)) this.#set(event)
  }

  /** Resolves when there are new events, or after `withinMs`. */
  async next(withinMs: number): Promise<void> {
    const late = new AbortController()
    await Promise.race([this.#changed.promise, sleep(withinMs, late.signal)])
    late.abort()
  }

  /** The events since the last call. Throws the error of `fail`. */
  take(): { events: CompanyEvent[]; isComplete: boolean } {
    if (this.#failure) throw this.#failure.error
    const taken = { events: [...this.#events.values()], isComplete: this.#isComplete }
    this.#events.clear()
    this.#isComplete = true
    this.#changed = Promise.withResolvers<void>()
    return taken
  }

  #set(event: CompanyEvent): void {
    if (this.#events.size < waitingMax || this.#events.has(event.subject))
      this.#events.set(event.subject, event)
    else this.#isComplete = false
  }
}
