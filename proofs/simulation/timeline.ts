import type { SeededRandom } from '../../server/base/seeded-random.ts'

/** The clocks of database and agents run faster: a day passes in minutes, so that old marks are dropped during a world. */
const agentSpeed = 288
const epochMs = Date.UTC(2026, 0, 1)
export const agentTime = (worldMs: number): Date => new Date(epochMs + worldMs * agentSpeed)

/** A process of the simulated service. A dead process receives nothing. */
export interface Actor {
  alive: boolean
  /** Until then nothing that it sends or receives arrives: it is cut off, or its machine is frozen. */
  frozenUntilMs: number
  readonly startedMs: number
}

export const newActor = (startedMs: number): Actor => ({ alive: true, frozenUntilMs: 0, startedMs })

/** Whether request or response is lost. */
type Fate = 'arrives' | 'request lost' | 'answer lost'

interface Event {
  atMs: number
  /** Breaks ties: events run in the order of planning. */
  order: number
  run: () => void | Promise<void>
  /** Idle polls: nothing depends on them. */
  idle: boolean
}

/** The database does not answer from one time to another. */
export interface Outage {
  fromMs: number
  untilMs: number
}

const databaseAway = () => new Error('the database did not answer')
const lossless: Fate = 'arrives'
const lateAfterAll = 0.3
/** Between two requests of somebody who waits for the database. */
const triesEveryMs = 5000
/** Retries in an outage change nothing, so most are left out. */
const retriesPerSimulated = 100
/** How long a process takes at most to reach the database again when it is back. */
const comesBackWithinMs = 20_000
const latestMs = 20_000

/**
 * The timeline of one simulated world: all planned events, in order of time. Calls have random delays, so any two may
 * be reordered; requests and responses may be lost while the world is not calm.
 */
export class Timeline {
  readonly draw: SeededRandom
  nowMs = 0
  /** No more faults from now on. */
  calm = false
  outage: Outage | undefined
  /** When each process reaches the database again after the outage. */
  readonly #backMs = new Map<Actor, number>()
  /** Called between the effect of a call and its response. */
  afterEffect: (caller: Actor) => void = () => undefined
  /** Called between the sending of a call and its effect. */
  afterSending: (caller: Actor) => void = () => undefined
  #events: Event[] = []
  #order = 0

  constructor(draw: SeededRandom) {
    this.draw = draw
  }

  /** Whether there are planned events that are not idle. */
  get busy(): boolean {
    return this.#events.some(({ idle }) => !idle)
  }

  /** The outage, with its end for a process, unless it has none. */
  outageOf(actor: Actor): Outage | undefined {
    const { outage } = this
    if (!outage || actor.startedMs >= outage.untilMs) return undefined
    const untilMs = this.#backMs.get(actor) ?? outage.untilMs + this.draw.below(comesBackWithinMs)
    this.#backMs.set(actor, untilMs)
    return { ...outage, untilMs }
  }

  #isIn(outage: Outage | undefined): outage is Outage {
    return outage !== undefined && this.nowMs >= outage.fromMs && this.nowMs < outage.untilMs
  }

  at(atMs: number, happen: () => void | Promise<void>, idle = false): void {
    this.#order += 1
    this.#events.push({ atMs, order: this.#order, run: happen, idle })
  }

  /** Runs the next event to its end; false if there is none. */
  async step(): Promise<boolean> {
    let first: Event | undefined
    for (const one of this.#events) {
      if (!first || one.atMs < first.atMs || (one.atMs === first.atMs && one.order < first.order)) first = one
    }
    if (!first) return false
    this.#events.splice(this.#events.indexOf(first), 1)
    this.nowMs = Math.max(this.nowMs, first.atMs)
    await first.run()
    return true
  }

  /**
   * A call from a process to another component: `effect` runs once, atomically, or not at all; the caller gets the result
   * or the error `away`. A request may still arrive after its sender has died.
   */
  call<T>(actor: Actor, effect: () => T | Promise<T>, away: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const fate = this.#drawFate()
      this.#arrive(actor, () => {
        if (!actor.alive) {
          if (this.draw.chance(0.5)) return
          if (!this.calm && this.draw.chance(0.5)) return this.#arriveLate(effect)
        }
        if (fate === 'request lost') {
          if (!this.calm && this.draw.chance(lateAfterAll)) this.#arriveLate(effect)
          return this.#answer(actor, () => reject(away()))
        }
        const done = (result: T) => {
          if (!this.calm) this.afterEffect(actor)
          this.#answer(actor, fate === 'answer lost' ? () => reject(away()) : () => resolve(result))
        }
        const failed = (error: unknown) => this.#answer(actor, () => reject(error))
        try {
          const result = effect()
          if (result instanceof Promise) return result.then(done, failed)
          done(result)
        } catch (error) {
          failed(error)
        }
      })
      if (!this.calm) this.afterSending(actor)
    })
  }

  /** A call to the database. */
  callDatabase<T>(actor: Actor, statement: () => T | Promise<T>): Promise<T> {
    const answer = () => {
      if (this.#isIn(this.outageOf(actor))) throw databaseAway()
      return statement()
    }
    return this.call(actor, answer, databaseAway)
  }

  /** At that time, or at some time after the outage in which it is. */
  whenDatabaseAnswers(atMs: number, happen: () => void | Promise<void>): void {
    this.at(atMs, () => {
      if (!this.#isIn(this.outage)) return happen()
      this.at(this.outage.untilMs + this.draw.below(triesEveryMs), happen)
    })
  }

  /** A request that its sender considers lost arrives late. */
  #arriveLate<T>(effect: () => T | Promise<T>): void {
    this.at(this.nowMs + this.draw.below(latestMs), async () => {
      try {
        await effect()
      } catch {
        // Nobody waits for the answer.
      }
    })
  }

  /** A pause of a process; ends early with the signal, and never after the process has died. */
  pause(actor: Actor, ms: number, signal: AbortSignal | undefined, idle: boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal?.removeEventListener('abort', done)
        if (actor.alive) resolve()
      }
      signal?.addEventListener('abort', done, { once: true })
      this.at(this.nowMs + this.#stretched(actor, ms), () => this.#whenThawed(actor, done), idle)
    })
  }

  #stretched(actor: Actor, ms: number): number {
    const outage = this.outageOf(actor)
    if (!this.#isIn(outage)) return ms
    const leftMs = outage.untilMs - this.nowMs
    return Math.max(ms, Math.min(ms * retriesPerSimulated, leftMs + this.draw.below(ms)))
  }

  #answer(actor: Actor, hear: () => void): void {
    this.#arrive(actor, () => {
      if (actor.alive) hear()
    })
  }

  #arrive(actor: Actor, happen: () => void | Promise<void>): void {
    const delayMs = this.draw.chance(0.02) && !this.calm ? this.draw.below(latestMs) : this.draw.below(40)
    this.at(this.nowMs + delayMs, () => this.#whenThawed(actor, happen))
  }

  #whenThawed(actor: Actor, happen: () => void | Promise<void>): void | Promise<void> {
    if (actor.frozenUntilMs <= this.nowMs) return happen()
    this.at(actor.frozenUntilMs + this.draw.below(40), happen)
  }

  #drawFate(): Fate {
    if (this.calm) return lossless
    if (this.draw.chance(0.03)) return 'request lost'
    return this.draw.chance(0.05) ? 'answer lost' : lossless
  }
}
