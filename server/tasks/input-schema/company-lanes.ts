export interface LaneBounds {
  /** What may wait, of one company and of all. */
  laneWaitingMax: number
  waitingMax: number
  /** What has waited longer is given up. */
  waitMs: number
  /** Of one company at work at once. */
  workingMax: number
  /** Processor time that a company has to its credit after a rest, and what it gets back in a second. */
  creditMs: number
  creditMsPerSecond: number
}

/** The deepest debt: a company that has rested as long as it takes to work this off is served as any other. */
const debtMaxMs = 20_000
/** Companies that are remembered although they have nothing waiting. */
const lanesMax = 1000

interface Waiting<Work> {
  work: Work
  sinceMs: number
  /** Not for the reserved thread: it has been tried there. */
  isSlow: boolean
}

interface Lane<Work> {
  waiting: Waiting<Work>[]
  working: number
  creditMs: number
  countedAtMs: number
}

/**
 * Whose work is next. Each company has a lane and an account of processor time, which its work is charged to and which
 * fills up again as time passes: the fuller account is served first, and waiting counts as time, so that nobody waits
 * for ever. Where too much waits, the longest lane gives way, never a company with little.
 */
export class CompanyLanes<Work> {
  readonly #bounds: LaneBounds
  readonly #nowMs: () => number
  readonly #lanes = new Map<string, Lane<Work>>()
  #waiting = 0

  constructor(bounds: LaneBounds, nowMs: () => number) {
    this.#bounds = bounds
    this.#nowMs = nowMs
  }

  /** Answers what is given up instead, which may be the work itself. */
  add(company: string, work: Work): Work | undefined {
    const lane = this.#laneOf(company)
    if (lane.waiting.length >= this.#bounds.laneWaitingMax) return work
    lane.waiting.push({ work, sinceMs: this.#nowMs(), isSlow: false })
    this.#waiting += 1
    if (this.#waiting <= this.#bounds.waitingMax) return undefined
    const [longest] = [...this.#lanes.values()].sort((a, b) => b.waiting.length - a.waiting.length)
    this.#waiting -= 1
    return longest?.waiting.pop()?.work
  }

  /**
   * Takes the next work out. With `reserved` only of a company with credit that has nothing at work, so that there is a
   * place for it whatever the others do.
   */
  take({ reserved }: { reserved: boolean }): { company: string; work: Work } | undefined {
    let best: { company: string; lane: Lane<Work>; rank: number } | undefined
    for (const [company, lane] of this.#lanes) {
      const [first] = lane.waiting
      if (!first || lane.working >= this.#bounds.workingMax) continue
      this.#refill(lane)
      if (reserved && (first.isSlow || lane.working > 0 || lane.creditMs <= 0)) continue
      // What is at work has not been charged yet: it is taken to use up all the credit.
      const creditMs = lane.creditMs - lane.working * this.#bounds.creditMs
      const rank = creditMs + this.#nowMs() - first.sinceMs
      if (!best || rank > best.rank) best = { company, lane, rank }
    }
    const next = best?.lane.waiting.shift()
    if (!best || !next) return undefined
    best.lane.working += 1
    this.#waiting -= 1
    return { company: best.company, work: next.work }
  }

  /** The work that was taken is no more at work, and has used so much. */
  charge(company: string, usedMs: number): void {
    const lane = this.#laneOf(company)
    this.#refill(lane)
    lane.working -= 1
    lane.creditMs = Math.max(-debtMaxMs, lane.creditMs - usedMs)
  }

  /** Puts work that took too long for the reserved thread back to the head of its lane. */
  putBack(company: string, work: Work): void {
    this.#laneOf(company).waiting.unshift({ work, sinceMs: this.#nowMs(), isSlow: true })
    this.#waiting += 1
  }

  /** Takes out what has waited too long. */
  takeExpired(): Work[] {
    return this.#takeOlderThan(this.#nowMs() - this.#bounds.waitMs)
  }

  takeAll(): Work[] {
    return this.#takeOlderThan(Number.POSITIVE_INFINITY)
  }

  #takeOlderThan(ms: number): Work[] {
    const taken: Work[] = []
    for (const lane of this.#lanes.values()) {
      const kept = lane.waiting.findIndex(({ sinceMs }) => sinceMs >= ms)
      const old = lane.waiting.splice(0, kept === -1 ? lane.waiting.length : kept)
      taken.push(...old.map(({ work }) => work))
    }
    this.#waiting -= taken.length
    return taken
  }

  #laneOf(company: string): Lane<Work> {
    const known = this.#lanes.get(company)
    if (known) return known
    if (this.#lanes.size >= lanesMax) this.#forgetRested()
    const { creditMs } = this.#bounds
    const lane = { waiting: [], working: 0, creditMs, countedAtMs: this.#nowMs() }
    this.#lanes.set(company, lane)
    return lane
  }

  #forgetRested(): void {
    for (const [company, lane] of this.#lanes) {
      this.#refill(lane)
      const isRested = lane.creditMs === this.#bounds.creditMs
      if (isRested && lane.waiting.length + lane.working === 0) this.#lanes.delete(company)
    }
  }

  #refill(lane: Lane<Work>): void {
    const nowMs = this.#nowMs()
    const { creditMs, creditMsPerSecond } = this.#bounds
    const earnedMs = ((nowMs - lane.countedAtMs) / 1000) * creditMsPerSecond
    lane.creditMs = Math.min(creditMs, lane.creditMs + earnedMs)
    lane.countedAtMs = nowMs
  }
}
