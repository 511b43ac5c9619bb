import { type Clock, sleep, systemClock } from '../base/clock.ts'
import { SerialByKey } from './serial-by-key.ts'

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

interface RecentStarts {
  /** Each counts less with time. */
  count: number
  countedAtMs: number
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
  /** The starts of a company that is ahead, and the pauses after them. */
  readonly #serial = new SerialByKey()
  readonly #recent = new Map<string, RecentStarts>()

  /** `clock` and `pause` replace those of the machine in simulations. */
  constructor({ clock = systemClock, pause = sleep }: { clock?: Clock; pause?: typeof sleep } = {}) {
    this.#clock = clock
    this.#pause = pause
  }

  /** Waits until a start may begin, or the signal fires, and returns the function that ends the start. */
  async begin(company: string, signal: AbortSignal): Promise<() => void> {
    const end = await this.#serial.take(company, signal).catch(() => undefined)
    if (!end) return () => undefined
    if (!this.#isAhead(company)) {
      end()
      return () => undefined
    }
    const over = new AbortController()
    void this.#startAndRest(over.signal).then(end)
    return () => over.abort()
  }

  async #startAndRest(over: AbortSignal): Promise<void> {
    const beganMs = this.#nowMs()
    await this.#pause(startMaxMs, over)
    await this.#pause(pauseFactor * (this.#nowMs() - beganMs))
  }

  /** Whether the company is ahead before this start, which is counted. */
  #isAhead(company: string): boolean {
    const own = this.#recentOf(company)
    let active = 0
    let all = 0
    for (const [name, starts] of this.#recent) {
      this.#fade(starts)
      if (starts !== own && starts.count < activeMin) {
        this.#recent.delete(name)
        continue
      }
      active += 1
      all += starts.count
    }
    const isAhead = active > 1 && own.count > (aheadOf * all) / active
    own.count += 1
    return isAhead
  }

  #fade(starts: RecentStarts): void {
    const nowMs = this.#nowMs()
    starts.count *= 0.5 ** ((nowMs - starts.countedAtMs) / halfLifeMs)
    starts.countedAtMs = nowMs
  }

  #recentOf(company: string): RecentStarts {
    const known = this.#recent.get(company)
    if (known) return known
    const none = { count: 0, countedAtMs: this.#nowMs() }
    this.#recent.set(company, none)
    return none
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}
