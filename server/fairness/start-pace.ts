import { type Clock, sleep, systemClock } from '../base/clock.ts'

/** After this time a start counts half. */
const halfLifeMs = 1000
/** A company with fewer recent starts is not active. */
const activeMin = 0.25
/** A company with more than this many times its equal share of the recent starts is ahead. */
const aheadOf = 1.25
/** Length of the pause after a start of a company that is ahead, in lengths of that start. */
const pauseFactor = 4
/** A start that takes longer waits for something else, such as an image: its company goes on. */
const startMaxMs = 300

interface Owner {
  /** Recent starts, each of which counts less with time. */
  starts: number
  countedAtMs: number
  /** It is ahead, and a start of it, or the pause after that, is not over. */
  isHeld: boolean
  waiting: (() => void)[]
}

/**
 * Paces the starts of sandboxes of one process. A start takes time of processes that all companies share, which have no weights: the
 * worker, the agent, the database. While several companies start some, one that has more than its equal share of the recent starts
 * begins one at a time, and none for four times as long after it. A company that is alone, or not ahead, never waits. So equal
 * companies together use the whole machine, and one with few runs meets an idle one.
 */
export class StartPace {
  readonly #clock: Clock
  readonly #pause: typeof sleep
  readonly #owners = new Map<string, Owner>()

  /** `clock` and `pause` replace those of the machine in simulations. */
  constructor({ clock = systemClock, pause = sleep }: { clock?: Clock; pause?: typeof sleep } = {}) {
    this.#clock = clock
    this.#pause = pause
  }

  /** Waits until a start may begin, or the signal fires, and returns the function that ends the start. */
  async begin(company: string, signal: AbortSignal): Promise<() => void> {
    const owner = this.#ownerOf(company)
    if (owner.isHeld && !(await this.#turn(owner, signal))) return () => undefined
    owner.isHeld = this.#isAhead(owner)
    owner.starts += 1
    if (!owner.isHeld) {
      this.#next(owner)
      return () => undefined
    }
    const beganMs = this.#nowMs()
    const over = new AbortController()
    const rest = async () => {
      await this.#pause(startMaxMs, over.signal)
      await this.#pause(pauseFactor * (this.#nowMs() - beganMs))
      owner.isHeld = false
      this.#next(owner)
    }
    void rest()
    return () => over.abort()
  }

  /** Resolves to false if the signal fired before. */
  #turn(owner: Owner, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve(true)
    }
    const leave = () => {
      owner.waiting.splice(owner.waiting.indexOf(begin), 1)
      resolve(false)
    }
    if (signal.aborted) return Promise.resolve(false)
    signal.addEventListener('abort', leave, { once: true })
    owner.waiting.push(begin)
    return promise
  }

  /** Held until it has decided whether it is ahead, so that no other start overtakes it. */
  #next(owner: Owner): void {
    const begin = owner.waiting.shift()
    if (!begin) return
    owner.isHeld = true
    begin()
  }

  #isAhead(owner: Owner): boolean {
    let active = 0
    let all = 0
    for (const [company, other] of this.#owners) {
      this.#fade(other)
      if (other.starts >= activeMin || other === owner) {
        active += 1
        all += other.starts
      } else if (!other.isHeld) this.#owners.delete(company)
    }
    return active > 1 && owner.starts > (aheadOf * all) / active
  }

  #fade(owner: Owner): void {
    const nowMs = this.#nowMs()
    owner.starts *= 0.5 ** ((nowMs - owner.countedAtMs) / halfLifeMs)
    owner.countedAtMs = nowMs
  }

  #ownerOf(company: string): Owner {
    const known = this.#owners.get(company)
    if (known) return known
    const owner = { starts: 0, countedAtMs: this.#nowMs(), isHeld: false, waiting: [] }
    this.#owners.set(company, owner)
    return owner
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}
