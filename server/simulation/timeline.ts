import type { Draw } from '../base/draw.ts'

/** The clocks of database and agents: days pass in minutes of a world, so that marks of old days go in the middle of it. */
const agentSpeed = 288
const epochMs = Date.UTC(2026, 0, 1)
export const agentTime = (worldMs: number): Date => new Date(epochMs + worldMs * agentSpeed)

/** A process of the simulated service. Once it is dead nothing that it waits for comes to it. */
export interface Actor {
  alive: boolean
  /** Until then nothing that it sends or hears arrives: it is cut off, or its machine stands still. */
  frozenUntilMs: number
}

export const newActor = (): Actor => ({ alive: true, frozenUntilMs: 0 })

/** How an answer gets lost: with the request, or on the way back. */
type Fate = 'arrives' | 'request lost' | 'answer lost'

interface Happening {
  atMs: number
  /** Breaks ties: what was planned first happens first. */
  order: number
  happen: () => void | Promise<void>
  /** Idle looks: nothing depends on them. */
  idle: boolean
}

const lossless: Fate = 'arrives'
const lateAfterAll = 0.3
const latestMs = 20_000

/**
 * The time of one simulated world: everything that will happen, in the order in which it does. Calls take times that are
 * drawn, so that any two may change places; requests and answers get lost while the world is not calm.
 */
export class Timeline {
  readonly draw: Draw
  nowMs = 0
  /** No more faults from now on. */
  calm = false
  /** Between the effect of a call and its answer: the moment at which most depends on who goes on. */
  afterEffect: (caller: Actor) => void = () => undefined
  /** Between the sending of a call and its effect. */
  afterSending: (caller: Actor) => void = () => undefined
  #happenings: Happening[] = []
  #order = 0

  constructor(draw: Draw) {
    this.draw = draw
  }

  /** Things yet to happen that somebody depends on. */
  get busy(): boolean {
    return this.#happenings.some(({ idle }) => !idle)
  }

  at(atMs: number, happen: () => void | Promise<void>, idle = false): void {
    this.#order += 1
    this.#happenings.push({ atMs, order: this.#order, happen, idle })
  }

  /** Lets the next thing happen, to its end; false when there is none. */
  async step(): Promise<boolean> {
    let first: Happening | undefined
    for (const one of this.#happenings) {
      if (!first || one.atMs < first.atMs || (one.atMs === first.atMs && one.order < first.order)) first = one
    }
    if (!first) return false
    this.#happenings.splice(this.#happenings.indexOf(first), 1)
    this.nowMs = Math.max(this.nowMs, first.atMs)
    await first.happen()
    return true
  }

  /**
   * A call from one process to another part: `effect` happens once, at one moment, or not at all; the caller hears of it
   * or of `away`. A request that was on its way when its sender died may still arrive.
   */
  call<T>(actor: Actor, effect: () => T | Promise<T>, away: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const fate = this.#fate()
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

  /** What its sender took for lost was only on its way. */
  #arriveLate<T>(effect: () => T | Promise<T>): void {
    this.at(this.nowMs + this.draw.below(latestMs), async () => {
      try {
        await effect()
      } catch {
        // Nobody waits for the answer.
      }
    })
  }

  /** Waits without being asked anything; ends early with the signal, never after its process has died. */
  pause(actor: Actor, ms: number, signal: AbortSignal | undefined, idle: boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal?.removeEventListener('abort', done)
        if (actor.alive) resolve()
      }
      signal?.addEventListener('abort', done, { once: true })
      this.at(this.nowMs + ms, () => this.#whenThawed(actor, done), idle)
    })
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

  #fate(): Fate {
    if (this.calm) return lossless
    if (this.draw.chance(0.03)) return 'request lost'
    return this.draw.chance(0.05) ? 'answer lost' : lossless
  }
}
