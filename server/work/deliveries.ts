import type { Clock } from '../base/clock.ts'
import { onBehalfOf } from '../base/current-request.ts'
import type { Log } from '../base/logging.ts'
import { Counts } from '../fairness/counts.ts'
import type { ClaimedRound, ClaimShare } from './claim-due.ts'
import { startTicker, type Ticker } from './ticker.ts'

/*
 * Attempts to deliver rows of all companies to others, which may be slow. Attempts of a lane share its places, companies have
 * turns, and a company has few places, so what hangs or fails for some delays no other. An attempt that lasts too long for its
 * lane moves to another, where it waits at the cost of slow ones.
 */

export interface LaneSlots {
  /** Attempts at once of all companies, */
  all: number
  /** and of one. */
  ofCompany: number
}

/** The place of an attempt in progress. */
export interface Slot<Lane extends string> {
  /** Frees its place for one in another lane, from then on. False, and nothing changes: that lane has none free for the company. */
  moveTo(lane: Lane): boolean
}

export interface DeliveriesOptions<Lane extends string, Claimed> {
  /** For the log. */
  name: string
  /** In the order in which they are served. */
  places: Record<Lane, LaneSlots>
  claim: (lane: Lane, share: ClaimShare) => Promise<ClaimedRound<Claimed>>
  /** Makes due what is claimed and not among these ids. */
  takeBack: (active: string[]) => Promise<unknown>
  /** One attempt, with its record. It must be bounded in time. */
  attempt: (claimed: Claimed, place: Slot<Lane>) => Promise<void>
  clock: Clock
  log: Log
  pollIntervalMs?: number | undefined
}

/** More than can be without a free place at once. */
const companiesPerRound = 100
/** How long a company with an attempt that moved has one place in the lane that it left. */
const slowForMs = 600_000
const slowCompaniesMax = 10_000

export class Deliveries<Lane extends string, Claimed extends { id: string; company_id: string }> {
  readonly #options: DeliveriesOptions<Lane, Claimed>
  readonly #lanes: Lane[]
  readonly #active: Record<Lane, Counts>
  readonly #after: Record<Lane, string>
  /** When an attempt of a company last moved, by lane and company. */
  readonly #slow = new Map<string, number>()
  /** Attempts in progress by the id of their row. */
  readonly #attempts = new Map<string, Promise<void>>()
  /** Whether rows may be claimed that nobody attempts: at the start, and where the answer to a claim or a record was lost. */
  #isUnsure = true
  #ticker: Ticker | undefined

  constructor(options: DeliveriesOptions<Lane, Claimed>) {
    this.#options = options
    this.#lanes = Object.keys(options.places) as Lane[]
    this.#active = this.#byLane(() => new Counts())
    this.#after = this.#byLane(() => '')
  }

  start(): this {
    const { name, log, pollIntervalMs = 1000 } = this.#options
    this.#ticker = startTicker({ name, tick: () => this.claim(), intervalMs: pollIntervalMs, log })
    return this
  }

  /** Waits for the attempts in progress. */
  async stop(): Promise<void> {
    await this.#ticker?.stop()
    await this.idle()
  }

  async idle(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all(this.#attempts.values())
  }

  /** Starts attempts while places are free. Returns their number. */
  async claim(): Promise<number> {
    const wasUnsure = this.#isUnsure
    this.#isUnsure = false
    try {
      if (wasUnsure) await this.#options.takeBack([...this.#attempts.keys()])
      let started = 0
      for (const lane of this.#lanes) started += await this.#claimIn(lane)
      return started
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
  }

  async #claimIn(lane: Lane): Promise<number> {
    const { places, claim } = this.#options
    const free = this.#freeIn(lane)
    if (free <= 0) return 0
    const { claimed, lastCompany } = await claim(lane, {
      afterCompany: this.#after[lane],
      companies: companiesPerRound,
      free,
      perCompany: places[lane].ofCompany,
      inProgress: this.#taken(lane),
    })
    const served = claimed.map(({ company_id }) => company_id).toSorted()
    // Where the places were too few, those who got none are next.
    this.#after[lane] = claimed.length < free ? lastCompany : (served.at(-1) ?? '')
    for (const each of claimed) this.#start(lane, each)
    return claimed.length
  }

  #freeIn(lane: Lane): number {
    return this.#options.places[lane].all - this.#active[lane].sum
  }

  /** Places of each company that are in use, or that it has not because it was slow. */
  #taken(lane: Lane): Record<string, number> {
    const { places, clock } = this.#options
    const taken = new Map(this.#active[lane].entries())
    const since = clock.now().getTime() - slowForMs
    for (const [key, at] of this.#slow) {
      if (at < since) this.#slow.delete(key)
      else if (key.startsWith(`${lane} `)) {
        const company = key.slice(lane.length + 1)
        taken.set(company, (taken.get(company) ?? 0) + places[lane].ofCompany - 1)
      }
    }
    return Object.fromEntries(taken)
  }

  #start(lane: Lane, claimed: Claimed): void {
    const { name, log, attempt } = this.#options
    const company = claimed.company_id
    let current = lane
    this.#active[current].add(company, 1)
    const moveTo = (next: Lane): boolean => {
      const ofCompany = this.#active[next].of(company)
      this.#markSlow(`${lane} ${company}`)
      if (this.#freeIn(next) <= 0 || ofCompany >= this.#options.places[next].ofCompany) return false
      this.#active[current].add(company, -1)
      this.#active[next].add(company, 1)
      current = next
      this.#ticker?.wake()
      return true
    }
    const running = onBehalfOf(company, () => attempt(claimed, { moveTo }))
      .catch((error: unknown) => {
        this.#isUnsure = true
        log.warn({ loop: name, id: claimed.id, error: String(error) }, 'attempt not recorded')
      })
      .finally(() => {
        this.#active[current].add(company, -1)
        this.#attempts.delete(claimed.id)
        this.#ticker?.wake()
      })
    this.#attempts.set(claimed.id, running)
  }

  #markSlow(key: string): void {
    // Deleted first, so that the oldest mark is the first one.
    this.#slow.delete(key)
    this.#slow.set(key, this.#options.clock.now().getTime())
    const [oldest] = this.#slow.keys()
    if (this.#slow.size > slowCompaniesMax && oldest !== undefined) this.#slow.delete(oldest)
  }

  #byLane<T>(make: () => T): Record<Lane, T> {
    return Object.fromEntries(this.#lanes.map((lane) => [lane, make()])) as Record<Lane, T>
  }
}
