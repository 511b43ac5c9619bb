export interface LaneBounds {
  /** Bounds of the waiting work, of one owner and of all. */
  laneWaitingMax: number
  waitingMax: number
  /** Work that has waited longer is dropped. */
  waitMs: number
  /** Work of one owner in progress at once. */
  workingMax: number
  /** Processor time credited to an idle owner, and the refill per second. */
  creditMs: number
  creditMsPerSecond: number
}

/** The deepest debt: an owner that has been idle long enough to work this off is served like any other. */
const debtMaxMs = 20_000
/** Owners that are remembered although they have no waiting work. */
const lanesMax = 1000

/** How long an owner whose work was aborted for its cost cannot use a reserved slot. */
const costlyMs = 60_000

interface Waiting<Work> {
  work: Work
  sinceMs: number
}

interface Lane<Work> {
  waiting: Waiting<Work>[]
  working: number
  creditMs: number
  countedAtMs: number
  costlyUntilMs: number
}

const isNewer = <Work>(one: Lane<Work>, other: Lane<Work>): boolean =>
  (one.waiting.at(-1)?.sinceMs ?? 0) > (other.waiting.at(-1)?.sinceMs ?? 0)

/**
 * Fair scheduling of work by owner: schema checks and hashes by company, logins by address. Each owner has a lane and an account
 * of processor time. Work is charged to the account, which refills over time; the fullest account is served first.
 * Waiting counts as time, so no owner starves. When too much waits, the longest lane is cut, and of equally long ones the
 * one whose last work is newest: work that waits is never dropped for that of later owners.
 */
export class FairLanes<Work> {
  readonly #bounds: LaneBounds
  readonly #nowMs: () => number
  readonly #lanes = new Map<string, Lane<Work>>()
  #waiting = 0

  constructor(bounds: LaneBounds, nowMs: () => number) {
    this.#bounds = bounds
    this.#nowMs = nowMs
  }

  /** Returns the work that is dropped instead, which may be `work` itself. */
  add(owner: string, work: Work): Work | undefined {
    const lane = this.#laneOf(owner)
    if (lane.waiting.length >= this.#bounds.laneWaitingMax) return work
    lane.waiting.push({ work, sinceMs: this.#nowMs() })
    this.#waiting += 1
    if (this.#waiting <= this.#bounds.waitingMax) return undefined
    this.#waiting -= 1
    return this.#longestLane(lane).waiting.pop()?.work
  }

  /** `newest` has the newest work: no other lane of its length is cut instead. */
  #longestLane(newest: Lane<Work>): Lane<Work> {
    let longest = newest
    for (const lane of this.#lanes.values()) {
      const longer = lane.waiting.length - longest.waiting.length
      if (longer > 0 || (longer === 0 && longest !== newest && isNewer(lane, longest))) longest = lane
    }
    return longest
  }

  /**
   * Takes the next work. With `reserved`, only of an owner with credit, with no work in progress, and without
   * recently aborted work, so that other owners cannot occupy the reserved slot.
   */
  take({ reserved }: { reserved: boolean }): { owner: string; work: Work } | undefined {
    // One time for all: while many lanes are compared, later ones would gain by waiting longer.
    const nowMs = this.#nowMs()
    let best: { owner: string; lane: Lane<Work>; rank: number } | undefined
    for (const [owner, lane] of this.#lanes) {
      const [first] = lane.waiting
      if (!first || lane.working >= this.#bounds.workingMax) continue
      this.#refill(lane)
      if (reserved && !this.#mayUseReserved(lane)) continue
      // Work in progress is not charged yet: it counts as if it used all of the credit.
      const creditMs = lane.creditMs - lane.working * this.#bounds.creditMs
      const rank = creditMs + nowMs - first.sinceMs
      if (!best || rank > best.rank) best = { owner, lane, rank }
    }
    const next = best?.lane.waiting.shift()
    if (!best || !next) return undefined
    best.lane.working += 1
    this.#waiting -= 1
    return { owner: best.owner, work: next.work }
  }

  /** Ends work in progress and charges `usedMs`; `brokenOff` if it was aborted and would have used more. */
  charge(owner: string, usedMs: number, brokenOff = false): void {
    const lane = this.#laneOf(owner)
    this.#refill(lane)
    lane.working -= 1
    if (brokenOff) lane.costlyUntilMs = this.#nowMs() + costlyMs
    lane.creditMs = Math.max(-debtMaxMs, lane.creditMs - usedMs)
  }

  /** Returns work that was aborted on the reserved thread to the head of its lane. */
  putBack(owner: string, work: Work): void {
    this.#laneOf(owner).waiting.unshift({ work, sinceMs: this.#nowMs() })
    this.#waiting += 1
  }

  /** Removes waiting work that nobody needs any more. */
  remove(owner: string, work: Work): void {
    const waiting = this.#lanes.get(owner)?.waiting ?? []
    const at = waiting.findIndex((each) => each.work === work)
    if (at === -1) return
    waiting.splice(at, 1)
    this.#waiting -= 1
  }

  /** Removes and returns work that has waited too long. */
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

  #laneOf(owner: string): Lane<Work> {
    const known = this.#lanes.get(owner)
    if (known) return known
    if (this.#lanes.size >= lanesMax) this.#forgetRested()
    const { creditMs } = this.#bounds
    const nowMs = this.#nowMs()
    const lane = { waiting: [], working: 0, creditMs, countedAtMs: nowMs, costlyUntilMs: nowMs }
    this.#lanes.set(owner, lane)
    return lane
  }

  #forgetRested(): void {
    for (const [owner, lane] of this.#lanes) {
      this.#refill(lane)
      const isRested = lane.creditMs === this.#bounds.creditMs && lane.costlyUntilMs <= this.#nowMs()
      if (isRested && lane.waiting.length + lane.working === 0) this.#lanes.delete(owner)
    }
  }

  #mayUseReserved({ working, creditMs, costlyUntilMs }: Lane<Work>): boolean {
    return working === 0 && creditMs > 0 && costlyUntilMs <= this.#nowMs()
  }

  #refill(lane: Lane<Work>): void {
    const nowMs = this.#nowMs()
    const { creditMs, creditMsPerSecond } = this.#bounds
    const earnedMs = ((nowMs - lane.countedAtMs) / 1000) * creditMsPerSecond
    lane.creditMs = Math.min(creditMs, lane.creditMs + earnedMs)
    lane.countedAtMs = nowMs
  }
}
