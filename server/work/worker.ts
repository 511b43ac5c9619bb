import type { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { messageOf, retry, untilAnswered, WorkerStopping } from './retry.ts'
import { startTicker, type Ticker } from './ticker.ts'

/** A unit of work, identified by its id. */
interface Work {
  id: string
}

export interface Claimed<W extends Work> {
  works: W[]
  /** Nothing else was queued at that time. Later work is notified. */
  isLast: boolean
}

/**
 * The claims of one worker. `next`, `takeExpired` and `takeBack` are called one after another, so that turns are exact and no
 * response of a claim is outstanding when work is taken back.
 */
export interface Claims<W extends Work> {
  /** Claims the next work, at most `free`; undefined if nothing may start now. */
  next: (free: number) => Promise<Claimed<W> | undefined>
  /** Takes over work with expired leases of other workers. Absent: `next` returns such work too. */
  takeExpired?: () => Promise<W[]>
  /** Takes back work that is in this worker's name but not in `active`. */
  takeBack: (active: readonly string[]) => Promise<W[]>
  /** Those of the given work that have a cancel request. Absent: a heartbeat reports them. */
  cancelRequested?: (active: readonly string[]) => Promise<string[]>
}

export interface WorkSignals {
  /** The worker stops: the work is left as it is and will be taken over. */
  stopping: AbortSignal
  cancel: AbortSignal
}

export interface WorkerOptions<W extends Work> {
  /** For the log: `runs`, `builds`. */
  name: string
  /** Maximum claimed work. Work that is taken back or over may exceed it. */
  slots: number
  claims: Claims<W>
  /** Executes work to its end, or leaves it as it is if the claim is lost or the worker stops. */
  perform: (work: W, signals: WorkSignals) => Promise<void>
  /** Interval of polls, which replace lost notifications. */
  pollIntervalMs: number
  /** Interval of the search for claims without an active holder. */
  recoverIntervalMs: number
  log: Log
  /** For the log, where a message may quote what a tenant wrote. */
  describe?: (error: unknown) => string
  pause?: typeof sleep | undefined
}

interface Active {
  cancel: AbortController
  done: Promise<void>
}

/** Claims work while it has free slots and executes it. README.md describes how, and what is true after a crash. */
export class Worker<W extends Work> {
  readonly #options: WorkerOptions<W>
  readonly #stopping = new AbortController()
  readonly #active = new Map<string, Active>()
  #tickers: Ticker[] = []
  #claiming: Ticker | undefined
  /** The last claim took the last queued work, and no notification came since: a freed slot does not query. */
  #isQueueEmpty = false
  #notifications = 0
  /** The response of a claim may have been lost: then work is in its name but not active. */
  #isUnsure = false
  #mayBeExpired = false

  constructor(options: WorkerOptions<W>) {
    this.#options = options
  }

  /** Resolves when it has taken back the work of its earlier process. */
  async start(): Promise<void> {
    const { name, claims, pollIntervalMs, recoverIntervalMs, log, pause } = this.#options
    const { signal } = this.#stopping
    const options = { policy: untilAnswered, signal, log, pause }
    this.#launchAll(await retry(`take back ${name}`, () => claims.takeBack([]), options))
    const common = { name, log, pause }
    this.#claiming = startTicker({ ...common, tick: () => this.#claim() })
    const poll = () => this.#poll().finally(() => this.#claiming?.wake())
    this.#tickers = [
      this.#claiming,
      startTicker({ ...common, tick: poll, intervalMs: pollIntervalMs }),
      startTicker({ ...common, tick: async () => this.#recover(), intervalMs: recoverIntervalMs }),
    ]
  }

  /** Stops claiming and releases its work, which the next worker of its name takes back. */
  async stop(): Promise<void> {
    this.#stopping.abort(new WorkerStopping())
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()))
    await Promise.all([...this.#active.values()].map(({ done }) => done))
  }

  /** Work may be queued. */
  notify(): void {
    this.#notifications += 1
    this.#isQueueEmpty = false
    this.#claiming?.wake()
  }

  cancel(id: string): void {
    this.#active.get(id)?.cancel.abort()
  }

  /** Ids of its active work. */
  get active(): string[] {
    return [...this.#active.keys()]
  }

  async #claim(): Promise<void> {
    const { name, slots, claims, log, describe = messageOf } = this.#options
    try {
      await this.#takeUnheld()
      while (this.#active.size < slots && !this.#stopping.signal.aborted) {
        this.#isQueueEmpty = false
        const before = this.#notifications
        const claimed = await claims.next(slots - this.#active.size)
        if (!claimed) return
        this.#isQueueEmpty = claimed.isLast && this.#notifications === before
        this.#launchAll(claimed.works)
        if (this.#isQueueEmpty) return
      }
    } catch (error) {
      // The next poll tries again. An unavailable database also breaks the listener, which notifies after it reconnects.
      log.warn({ error: describe(error) }, `cannot claim ${name}`)
      this.#isUnsure = true
    }
  }

  async #takeUnheld(): Promise<void> {
    const { claims } = this.#options
    if (this.#mayBeExpired) {
      this.#isUnsure = true
      const taken = (await claims.takeExpired?.()) ?? []
      this.#mayBeExpired = false
      // Work that it lost to another worker may still be active here. It is taken back when it no longer is.
      this.#launchAll(taken.filter(({ id }) => !this.#active.has(id)))
    }
    // An item that a stopping worker has let go of is in its name too.
    if (this.#isUnsure && !this.#stopping.signal.aborted) {
      const taken = await claims.takeBack(this.active)
      this.#isUnsure = false
      this.#launchAll(taken)
    }
  }

  async #poll(): Promise<void> {
    const { cancelRequested } = this.#options.claims
    if (!cancelRequested) return
    for (const id of await cancelRequested(this.active)) this.cancel(id)
  }

  #recover(): void {
    this.#mayBeExpired = true
    this.#claiming?.wake()
  }

  #launchAll(works: readonly W[]): void {
    for (const work of works) this.#launch(work)
  }

  #launch(work: W): void {
    const { name, perform, log, describe = messageOf } = this.#options
    const cancel = new AbortController()
    log.debug({ id: work.id }, `${name}: taken up`)
    const done = perform(work, { stopping: this.#stopping.signal, cancel: cancel.signal })
      .catch((error: unknown) => log.error({ error: describe(error), id: work.id }, `${name}: left hanging`))
      .finally(() => {
        // Work that was queued again may already be active again.
        if (this.#active.get(work.id)?.cancel === cancel) this.#active.delete(work.id)
        log.debug({ id: work.id }, `${name}: left`)
        if (!this.#isQueueEmpty) this.#claiming?.wake()
      })
    this.#active.set(work.id, { cancel, done })
  }
}
