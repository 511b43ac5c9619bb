import { performance } from 'node:perf_hooks'

export interface TurnBounds {
  /** Requests of all companies at work at once while several companies ask; each has an equal part of them. */
  atWork: number
  /** What each company has at least. */
  atWorkEach: number
  /** Part of the event loop's time that the companies which ask divide equally among themselves. */
  loopShare: number
  /** Time on the event loop that a company may use at once after a rest. */
  burstMs: number
  /** A company asks for as long as this after its last request. */
  activeMs: number
  /** A request that takes longer waits for something: it gives its place to another one of its company. */
  heldMs: number
}

export const defaultTurnBounds: TurnBounds = {
  atWork: 16,
  atWorkEach: 2,
  loopShare: 0.9,
  burstMs: 100,
  activeMs: 1000,
  heldMs: 1000,
}

/** More companies than this are remembered only while they ask. */
const rememberedMax = 1000
/** A body of this size weighs as much as all else that a usual request causes. */
const bytesOfWeight = 16 * 1024
/** What a request takes beyond this is charged so many times: others wait for all of it at once. */
const longMs = 10
const longFactor = 5
/** The deepest debt. */
const debtMaxBursts = 8
/** Of the last request in what a company's requests usually take. */
const lastRequestWeight = 0.2

interface Owner {
  waiting: (() => void)[]
  atWork: number
  creditMs: number
  creditedAtMs: number
  /** Time on the event loop that its requests have taken lately. */
  usualMs: number
  lastRequestMs: number
}

/** A request's place among those at work. */
export interface Turn {
  /** Whether it has the place: true at once, or when it is its turn; false where it left before. */
  granted: true | Promise<boolean>
  /** The request is answered, or its sender has gone. */
  leave(): void
}

const loopBusyMs = (): number => performance.eventLoopUtilization().active

/**
 * Divides the API's event loop among the companies that ask at the same time. While only one asks, nothing waits. While
 * several ask, each has a number of requests at work at once and a rate of time on the event loop; what exceeds them waits in
 * the company's own queue. Time on the event loop is charged to the requests at work by the sizes of their bodies.
 */
export class RequestTurns {
  readonly #bounds: TurnBounds
  readonly #nowMs: () => number
  readonly #busyMs: () => number
  readonly #owners = new Map<string, Owner>()
  /** Sum of the weights of what is at work. */
  #atWorkWeight = 0
  /** Time on the event loop that a request of weight 1 which was always at work would have been charged. */
  #chargedMs = 0
  #accruedAtMs = 0
  #active = 1
  #countedAtMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(bounds = defaultTurnBounds, nowMs = () => performance.now(), busyMs = loopBusyMs) {
    this.#bounds = bounds
    this.#nowMs = nowMs
    this.#busyMs = busyMs
  }

  /** A place for a request of the company with a body of so many bytes, now or when there is one. */
  enter(company: string, bodyBytes: number): Turn {
    const weight = 1 + bodyBytes / bytesOfWeight
    const owner = this.#ownerOf(company)
    if (owner.waiting.length === 0 && this.#mayStart(owner)) {
      const leave = this.#start(owner, weight)
      return { granted: true, leave }
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    let leave: (() => void) | undefined
    const start = () => {
      leave = this.#start(owner, weight)
      resolve(true)
    }
    owner.waiting.push(start)
    this.#startLater()
    return {
      granted: promise,
      leave: () => {
        if (leave) return leave()
        const at = owner.waiting.indexOf(start)
        if (at >= 0) owner.waiting.splice(at, 1)
        resolve(false)
      },
    }
  }

  #start(owner: Owner, weight: number): () => void {
    this.#accrue()
    this.#atWorkWeight += weight
    owner.atWork += 1
    const chargedBefore = this.#chargedMs
    let isAtWork = true
    const leave = () => {
      if (!isAtWork) return
      isAtWork = false
      clearTimeout(held)
      this.#accrue()
      this.#atWorkWeight -= weight
      owner.atWork -= 1
      this.#charge(owner, weight * (this.#chargedMs - chargedBefore))
      this.#startWaiting()
    }
    const held = setTimeout(leave, this.#bounds.heldMs).unref()
    return leave
  }

  #mayStart(owner: Owner): boolean {
    if (this.#active < 2) return true
    const { atWork, atWorkEach } = this.#bounds
    if (owner.atWork >= Math.max(atWorkEach, Math.floor(atWork / this.#active))) return false
    this.#credit(owner)
    // What is at work is not charged yet.
    return owner.creditMs - owner.atWork * owner.usualMs > 0
  }

  #charge(owner: Owner, usedMs: number): void {
    this.#credit(owner)
    const chargedMs = usedMs + Math.max(0, usedMs - longMs) * (longFactor - 1)
    owner.creditMs = Math.max(-debtMaxBursts * this.#bounds.burstMs, owner.creditMs - chargedMs)
    owner.usualMs += (usedMs - owner.usualMs) * lastRequestWeight
  }

  #startWaiting(): void {
    this.#countActive()
    for (const owner of this.#owners.values()) {
      while (owner.waiting.length > 0 && this.#mayStart(owner)) owner.waiting.shift()?.()
    }
    this.#startLater()
  }

  /** Looks again when the first company that waits for time has some. */
  #startLater(): void {
    if (this.#timer) return
    const debts = [...this.#owners.values()]
      .filter(({ waiting, creditMs }) => waiting.length > 0 && creditMs <= 0)
      .map(({ creditMs }) => -creditMs)
    if (debts.length === 0) return
    const afterMs = Math.ceil(Math.min(...debts) / this.#earnedPerMs()) + 1
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#startWaiting()
    }, afterMs).unref()
  }

  #ownerOf(company: string): Owner {
    const nowMs = this.#nowMs()
    const known = this.#owners.get(company)
    if (known) {
      const rested = nowMs - known.lastRequestMs > this.#bounds.activeMs
      known.lastRequestMs = nowMs
      this.#countActive(rested)
      return known
    }
    const { burstMs } = this.#bounds
    const owner = {
      waiting: [],
      atWork: 0,
      creditMs: burstMs,
      creditedAtMs: nowMs,
      usualMs: 0,
      lastRequestMs: nowMs,
    }
    this.#owners.set(company, owner)
    this.#countActive(true)
    return owner
  }

  /** Counts the companies that ask now: at once where one has come, else now and then. */
  #countActive(now = false): void {
    const nowMs = this.#nowMs()
    const { activeMs } = this.#bounds
    if (!now && nowMs - this.#countedAtMs < activeMs / 10) return
    for (const owner of this.#owners.values()) this.#credit(owner)
    this.#countedAtMs = nowMs
    let active = 0
    for (const [company, owner] of this.#owners) {
      const isActive = owner.atWork + owner.waiting.length > 0 || nowMs - owner.lastRequestMs <= activeMs
      if (isActive) active += 1
      else if (this.#owners.size > rememberedMax) this.#owners.delete(company)
    }
    this.#active = Math.max(1, active)
  }

  #earnedPerMs(): number {
    return this.#bounds.loopShare / this.#active
  }

  #credit(owner: Owner): void {
    const nowMs = this.#nowMs()
    const earnedMs = (nowMs - owner.creditedAtMs) * this.#earnedPerMs()
    owner.creditMs = Math.min(this.#bounds.burstMs, owner.creditMs + earnedMs)
    owner.creditedAtMs = nowMs
  }

  #accrue(): void {
    const busyMs = this.#busyMs()
    if (this.#atWorkWeight > 0) this.#chargedMs += (busyMs - this.#accruedAtMs) / this.#atWorkWeight
    this.#accruedAtMs = busyMs
  }
}
