import { CodedError } from '../base/errors/coded-error.ts'
import type { Database } from '../db/database.ts'
import { SharedSlots, type SlotBounds } from '../fairness/shared-slots.ts'
import type { LogUpdates } from '../live-logs/log-updates.ts'
import { listStateEvents, type StateSubject, watchState } from './state-watch-store.ts'

/*
 * Requests that wait for runs and builds. A request that waits says so in `state_watches`; from then on a change of state notifies
 * `state_changes`, and the request reads anew. A change whose transaction had looked for watches just before is not notified:
 * that is what the early second read is for. Later reads make up for lost notifications.
 */

export interface WatchedState extends StateSubject {
  state: string
  hasEnded: boolean
}

/** A state that was entered, or that there will be no other. `position` is that of the last state. */
export type StateChange<State extends string> = {
  position: number
  event: { kind: 'state'; position: number; status: State; at: string } | { kind: 'end'; status: State }
}

export interface WatcherBounds extends SlotBounds {
  /** A lost notification delays a waiting request by at most this. */
  laterReadsMs: number
}

const usualBounds: WatcherBounds = { all: 512, each: 64, assuredEach: 8, laterReadsMs: 2000 }
const retryAfterSeconds = 2
const secondReadMs = 150
const watchSeconds = 120
const watchAgainMs = 60_000
const longestMs = 15 * 60_000
const eventsAtOnce = 100

/** Requests of one API process that wait for changes of state. */
export class StateWatchers {
  readonly #db: Database
  readonly #updates: LogUpdates
  readonly #slots: SharedSlots
  readonly #laterReadsMs: number

  constructor(db: Database, updates: LogUpdates, bounds: Partial<WatcherBounds> = {}) {
    const { laterReadsMs, ...slots } = { ...usualBounds, ...bounds }
    this.#db = db
    this.#updates = updates
    this.#slots = new SharedSlots(slots)
    this.#laterReadsMs = laterReadsMs
  }

  /**
   * Reads until it has ended, the time is over or `signal` fires, and returns what was read last. Throws what `read` throws, and
   * 429 `watchers_busy` when the company waits for too many.
   */
  async wait<Watched extends WatchedState>(
    read: () => Promise<Watched>,
    { withinMs, signal }: { withinMs: number; signal: AbortSignal },
  ): Promise<Watched> {
    let watched = await read()
    if (watched.hasEnded || withinMs <= 0) return watched
    const release = this.#take(watched)
    try {
      for await (const _ of this.#reads(watched, { withinMs, signal })) {
        watched = await read()
        if (watched.hasEnded) break
      }
      return watched
    } finally {
      release()
    }
  }

  /**
   * The changes of state behind position `after`, until the end, 15 minutes are over or `signal` fires. Throws as `wait` does
   * before the first of them.
   */
  async follow<State extends string>(
    read: () => Promise<WatchedState & { state: State }>,
    { after, signal }: { after: number; signal: AbortSignal },
  ): Promise<AsyncGenerator<StateChange<State>>> {
    const release = this.#take(await read())
    // A reader that leaves before the first event starts no generator, whose end would release the slot.
    signal.addEventListener('abort', release, { once: true })
    if (signal.aborted) release()
    return this.#changes(read, { after, signal, release })
  }

  async *#changes<State extends string>(
    read: () => Promise<WatchedState & { state: State }>,
    { after, signal, release }: { after: number; signal: AbortSignal; release: () => void },
  ): AsyncGenerator<StateChange<State>> {
    try {
      const subject = await read()
      let position = after
      for await (const _ of this.#reads(subject, { withinMs: longestMs, signal })) {
        const watched = await read()
        // The events are read after the state, so the last reported state is among them.
        const events = await listStateEvents(this.#db, subject, { after: position, limit: eventsAtOnce })
        for (const { position: reached, to_state, at } of events) {
          position = reached
          const status = to_state as State
          yield { position, event: { kind: 'state', position, status, at: at.toISOString() } }
        }
        if (watched.hasEnded && events.length < eventsAtOnce) {
          return yield { position, event: { kind: 'end', status: watched.state } }
        }
      }
    } finally {
      release()
    }
  }

  #take({ company_id: companyId }: StateSubject): () => void {
    const release = this.#slots.take(companyId)
    if (!release) throw new CodedError('watchers_busy', { retry_after_seconds: retryAfterSeconds })
    return release
  }

  /** One value each time that there may be something new, the first at once. */
  async *#reads(
    subject: StateSubject,
    { withinMs, signal }: { withinMs: number; signal: AbortSignal },
  ): AsyncGenerator<void> {
    const subscription = this.#updates.of(subject.id)
    const left = Promise.withResolvers<void>()
    const leave = () => left.resolve()
    signal.addEventListener('abort', leave, { once: true })
    try {
      const endAt = performance.now() + withinMs
      let watchAt = 0
      let nextMs = secondReadMs
      while (!signal.aborted) {
        if (performance.now() >= watchAt) {
          await watchState(this.#db, subject, watchSeconds)
          watchAt = performance.now() + watchAgainMs
        }
        yield
        const restMs = endAt - performance.now()
        if (restMs <= 0) return
        await Promise.race([subscription.next(Math.min(nextMs, restMs)), left.promise])
        nextMs = this.#laterReadsMs
      }
    } finally {
      signal.removeEventListener('abort', leave)
      subscription.close()
    }
  }
}
