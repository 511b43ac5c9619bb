import type { Actor, Timeline } from './timeline.ts'

/**
 * The heartbeats of workers, each of which is also a renewal of the lease of its executor. A worker that is alive and not frozen
 * renews all the time, except while it does not reach the database.
 */
export class Heartbeats {
  readonly #timeline: Timeline
  /** Since when processes are dead, or were frozen the last time. */
  readonly #silentSinceMs = new Map<Actor, number>()

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** The worker died or froze. */
  end(worker: Actor): void {
    this.#silentSinceMs.set(worker, this.#timeline.nowMs)
  }

  lastMs(worker: Actor): number {
    const { nowMs } = this.#timeline
    const isBeating = worker.alive && worker.frozenUntilMs <= nowMs
    const atMs = isBeating ? nowMs : (this.#silentSinceMs.get(worker) ?? nowMs)
    const outage = this.#timeline.outageOf(worker)
    return outage && atMs >= outage.fromMs && atMs < outage.untilMs ? outage.fromMs : atMs
  }

  /** Since when the lease was renewed without a gap. */
  heldSinceMs(worker: Actor): number {
    const backMs = this.#timeline.outageOf(worker)?.untilMs ?? 0
    const afterOutageMs = backMs <= this.#timeline.nowMs ? backMs : 0
    return Math.max(worker.startedMs, worker.frozenUntilMs, afterOutageMs)
  }
}
