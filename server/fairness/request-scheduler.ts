import { performance } from 'node:perf_hooks'
import { sleep } from '../base/clock.ts'
import { othersFirst } from './others-first.ts'

export interface SchedulerBounds {
  /** Running requests of all companies together while several companies are active. Each gets an equal share. */
  atWork: number
  /** The minimum for each company. */
  atWorkEach: number
  /** Share of the event loop's time that the active companies divide equally. */
  loopShare: number
  /** Event loop time that a company may use at once after it was idle. */
  burstMs: number
  /** A company counts as active for this long after its last request. */
  activeMs: number
  /**
   * A request that takes longer waits for something else, or works in slices: its slot goes to another request of its company,
   * unless it waits for the database, which all requests share. Such a request is held from then on.
   */
  heldMs: number
}

export const defaultSchedulerBounds: SchedulerBounds = {
  atWork: 16,
  atWorkEach: 2,
  loopShare: 0.9,
  burstMs: 100,
  activeMs: 1000,
  heldMs: 1000,
}

/** Above this number, only active companies are remembered. */
const rememberedCompaniesMax = 1000
/** A body of this size counts as much as everything else that a usual request causes. */
const bytesPerWeight = 16 * 1024
/** Requests heavier than this start one at a time, so that others wait for one of them and not for all. */
const heavyWeight = 5
/** The longest time that one of them keeps the event loop. */
const heavyMs = 50
/** The maximum debt. */
const debtMaxBursts = 8
/** Weight of the latest request in the moving average of a company. */
const lastRequestWeight = 0.2

interface Waiting {
  weight: number
  start: () => void
}

interface Owner {
  waiting: Waiting[]
  atWork: number
  /** Parts of long answers that wait until it has paid for them. */
  spending: number
  /** Sum of the weights of its requests that were at work for longer than `heldMs` and are not answered yet. */
  heldWeight: number
  /** Event loop time that a request of weight 1, at work from the start, would have been charged. */
  chargedMs: number
  creditMs: number
  creditedAtMs: number
  /** Moving average of the event loop time of its requests. */
  usualMs: number
  lastRequestMs: number
  lastWorkMs: number
}

/** A request in the scheduler. */
export interface ScheduledRequest {
  /** Whether the request may start: true at once, or a promise; it resolves to false if the request left before. */
  granted: true | Promise<boolean>
  /** The request has been answered, or its sender is gone. */
  leave(): void
}

const loopBusyMs = (): number => performance.eventLoopUtilization().active

/**
 * Divides the API's event loop among the companies that send requests at the same time. While only one company is
 * active, nothing waits, except that large bodies start one after another. While several are active, each has a
 * number of slots and a rate of event loop time; requests beyond them wait in the company's own queue. The running
 * requests are charged for event loop time by the sizes of their bodies.
 */
export class RequestScheduler {
  readonly #bounds: SchedulerBounds
  readonly #nowMs: () => number
  readonly #busyMs: () => number
  readonly #owners = new Map<string, Owner>()
  /** Companies with waiting requests: a finished request checks only these. */
  readonly #waiting = new Set<Owner>()
  /** Companies with requests at work. */
  readonly #atWork = new Set<Owner>()
  /** Companies that were charged for work lately: their held requests do it. Those of others wait, for example for a state. */
  readonly #working = new Set<Owner>()
  /** Sum of the weights of the running requests. */
  #atWorkWeight = 0
  #accruedAtMs = 0
  /** Event loop time that was charged before it was used. */
  #chargedAheadMs = 0
  #active = 1
  /** True until others have had their turn. */
  #hasLetHeavyIn = false
  #countedAtMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  /** When the timer is due. */
  #checkAtMs = 0

  constructor(bounds = defaultSchedulerBounds, nowMs = () => performance.now(), busyMs = loopBusyMs) {
    this.#bounds = bounds
    this.#nowMs = nowMs
    this.#busyMs = busyMs
  }

  /** Admits a request of the company with a body of `bodyBytes`, now or when a slot is free. */
  enter(company: string, bodyBytes: number, isAtDatabase = () => false): ScheduledRequest {
    const weight = 1 + bodyBytes / bytesPerWeight
    const owner = this.#ownerOf(company)
    if (owner.waiting.length === 0 && this.#mayStart(owner, weight)) {
      const leave = this.#start(owner, weight, isAtDatabase)
      return { granted: true, leave }
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    let leave: (() => void) | undefined
    const waiting = {
      weight,
      start: () => {
        leave = this.#start(owner, weight, isAtDatabase)
        resolve(true)
      },
    }
    owner.waiting.push(waiting)
    this.#waiting.add(owner)
    this.#startLater()
    return {
      granted: promise,
      leave: () => {
        if (leave) return leave()
        const at = owner.waiting.indexOf(waiting)
        if (at >= 0) owner.waiting.splice(at, 1)
        if (owner.waiting.length === 0) this.#waiting.delete(owner)
        resolve(false)
      },
    }
  }

  /** Charges a company for event loop time that is known to be its own. Requests that run meanwhile do not pay for it. */
  chargeWork(company: string, usedMs: number): void {
    this.#accrue(usedMs)
    const owner = this.#ownerOf(company)
    owner.lastWorkMs = this.#nowMs()
    this.#working.add(owner)
    this.#debit(owner, usedMs)
  }

  /**
   * Charges a company for event loop time that a part of a long answer will take, and resolves when it may take it: while others are
   * active, once the company has paid its debt. At once when `signal` fires, since nobody reads the answer any more.
   */
  async spend(company: string, ms: number, signal: AbortSignal): Promise<void> {
    this.chargeWork(company, ms)
    const owner = this.#ownerOf(company)
    owner.spending += 1
    try {
      while (this.#active > 1 && !signal.aborted) {
        this.#credit(owner)
        if (owner.creditMs >= 0) return
        const paidInMs = Math.ceil(-owner.creditMs / this.#earnedPerMs())
        await sleep(Math.min(paidInMs, this.#bounds.activeMs), signal)
        this.#countActive()
      }
    } finally {
      owner.spending -= 1
      owner.lastRequestMs = this.#nowMs()
    }
  }

  #start(owner: Owner, weight: number, isAtDatabase: () => boolean): () => void {
    this.#accrue()
    this.#atWorkWeight += weight
    this.#atWork.add(owner)
    owner.atWork += 1
    if (weight > heavyWeight) this.#letHeavyIn()
    const chargedBefore = owner.chargedMs
    const end = () => {
      this.#accrue()
      this.#atWorkWeight -= weight
      owner.atWork -= 1
      if (owner.atWork === 0) this.#atWork.delete(owner)
      this.#charge(owner, weight * (owner.chargedMs - chargedBefore))
      this.#startWaiting()
    }
    let state: 'at work' | 'held' | 'over' = 'at work'
    const yieldSlot = () => {
      if (isAtDatabase()) return void timer.refresh()
      end()
      state = 'held'
      owner.heldWeight += weight
    }
    const timer = setTimeout(yieldSlot, this.#bounds.heldMs).unref()
    return () => {
      if (state === 'at work') {
        clearTimeout(timer)
        end()
      } else if (state === 'held') {
        this.#accrue()
        owner.heldWeight -= weight
      }
      state = 'over'
    }
  }

  #letHeavyIn(): void {
    this.#hasLetHeavyIn = true
    othersFirst(heavyMs, () => {
      this.#hasLetHeavyIn = false
      this.#startWaiting()
    })
  }

  #mayStart(owner: Owner, weight: number): boolean {
    if (weight > heavyWeight && this.#hasLetHeavyIn) return false
    if (this.#active < 2) return true
    if (!this.#hasSlot(owner)) return false
    this.#credit(owner)
    // Running requests are not charged yet.
    return owner.creditMs - owner.atWork * owner.usualMs > 0
  }

  #hasSlot(owner: Owner): boolean {
    const { atWork, atWorkEach } = this.#bounds
    return owner.atWork < Math.max(atWorkEach, Math.floor(atWork / this.#active))
  }

  #charge(owner: Owner, usedMs: number): void {
    this.#debit(owner, usedMs)
    owner.usualMs += (usedMs - owner.usualMs) * lastRequestWeight
  }

  #debit(owner: Owner, ms: number): void {
    this.#credit(owner)
    owner.creditMs = Math.max(-debtMaxBursts * this.#bounds.burstMs, owner.creditMs - ms)
  }

  #startWaiting(): void {
    if (this.#waiting.size === 0) return
    this.#countActive()
    for (const owner of this.#waiting) {
      for (
        let [first] = owner.waiting;
        first && this.#mayStart(owner, first.weight);
        [first] = owner.waiting
      ) {
        owner.waiting.shift()
        first.start()
      }
      if (owner.waiting.length === 0) this.#waiting.delete(owner)
    }
    this.#startLater()
  }

  /**
   * Checks again when the first company with a free slot has credit for its next request, even if none of those that run
   * ends until then: they may wait for the database. No later than other companies may have become inactive: credit is then earned
   * faster, or is not needed, and neither is a slot. Requests that arrive meanwhile do not put the check off.
   */
  #startLater(): void {
    if (this.#waiting.size === 0) return
    let checkedMs = this.#bounds.activeMs
    for (const owner of this.#waiting) {
      if (!this.#hasSlot(owner)) continue
      this.#credit(owner)
      const missingMs = Math.max(0, owner.atWork * owner.usualMs - owner.creditMs)
      checkedMs = Math.min(checkedMs, Math.ceil(missingMs / this.#earnedPerMs()) + 1)
    }
    const checkAtMs = this.#nowMs() + checkedMs
    if (this.#timer && this.#checkAtMs <= checkAtMs) return
    clearTimeout(this.#timer)
    this.#checkAtMs = checkAtMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#startWaiting()
    }, checkedMs).unref()
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
      spending: 0,
      heldWeight: 0,
      chargedMs: 0,
      creditMs: burstMs,
      creditedAtMs: nowMs,
      usualMs: 0,
      lastRequestMs: nowMs,
      lastWorkMs: Number.NEGATIVE_INFINITY,
    }
    this.#owners.set(company, owner)
    this.#countActive(true)
    return owner
  }

  /** Counts the active companies: at once when one becomes active, otherwise at intervals. */
  #countActive(now = false): void {
    const nowMs = this.#nowMs()
    const { activeMs } = this.#bounds
    if (!now && nowMs - this.#countedAtMs < activeMs / 10) return
    this.#countedAtMs = nowMs
    let active = 0
    for (const [company, owner] of this.#owners) {
      // Credit up to now was earned among the companies that were active before.
      this.#credit(owner)
      const inUse = owner.atWork + owner.waiting.length + owner.spending
      const isActive = inUse > 0 || nowMs - owner.lastRequestMs <= activeMs
      if (isActive) active += 1
      else if (this.#owners.size > rememberedCompaniesMax && owner.heldWeight === 0)
        this.#owners.delete(company)
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

  /**
   * Divides the event loop time since the last call, except for what is charged otherwise, among the requests at work and those of
   * other companies that are held and work: they may have used it. A company's own held requests make nothing cheaper for it. Time
   * that is charged before it is used is left out of later calls, one burst at most: the work may never come.
   */
  #accrue(chargedMs = 0): void {
    const busyMs = this.#busyMs()
    const usedMs = busyMs - this.#accruedAtMs
    this.#accruedAtMs = busyMs
    const exceptMs = this.#chargedAheadMs + chargedMs
    this.#chargedAheadMs = Math.min(this.#bounds.burstMs, Math.max(0, exceptMs - usedMs))
    const sharedMs = Math.max(0, usedMs - exceptMs)
    const heldWeight = this.#heldWeight()
    for (const owner of this.#atWork) {
      const ownWeight = this.#working.has(owner) ? owner.heldWeight : 0
      owner.chargedMs += sharedMs / (this.#atWorkWeight + heldWeight - ownWeight)
    }
  }

  /** Sum of the weights of the held requests of companies that work. */
  #heldWeight(): number {
    let sum = 0
    for (const owner of this.#working) {
      if (this.#nowMs() - owner.lastWorkMs > this.#bounds.activeMs) this.#working.delete(owner)
      else sum += owner.heldWeight
    }
    return sum
  }
}
