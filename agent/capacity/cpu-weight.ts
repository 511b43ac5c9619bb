/** Divisors of the weight by processor time used: in total for a sandbox, recently for an owner. */
const steps = [
  { usedMs: 1000, divisor: 4 },
  { usedMs: 10_000, divisor: 16 },
] as const

const stepOf = (usedMs: number): number => steps.findLast((step) => usedMs >= step.usedMs)?.divisor ?? 1

/** A sandbox below this load counts as idle. */
const idleLoad = 0.05
/** Half-life of an owner's recent processor time. */
const halfLifeMs = 10_000
/** Recent use below this is dropped. */
const negligibleMs = 1

export interface CpuUse {
  /** Undefined: the sandbox counts as a separate owner. */
  owner: number | undefined
  /** Number of processors that it keeps busy. */
  load: number
  usedMs: number
}

/**
 * Computes the divisor of each sandbox's weight, which matters while processors are short. The weight of an owner is divided
 * among its busy sandboxes, so that an owner with many of them gets no more than one with a few. A sandbox that has computed
 * for long has less weight than a recently started one, and an owner with much recent use less than one with little: so a
 * short run gets its share at once and does not wait behind runs that compute for hours. Without competition a low weight
 * costs nothing.
 */
export class CpuWeights {
  /** Recent processor time of owners, in milliseconds. */
  readonly #usedMs = new Map<number, number>()
  /** Number of busy sandboxes per owner. */
  #computing = new Map<number, number>()

  /** Takes in the use of all sandboxes since the previous call, `passedMs` ago. */
  update(sandboxes: Iterable<CpuUse & { lastUsedMs: number }>, passedMs: number): void {
    const kept = 0.5 ** (passedMs / halfLifeMs)
    for (const [owner, usedMs] of this.#usedMs) {
      if (usedMs * kept < negligibleMs) this.#usedMs.delete(owner)
      else this.#usedMs.set(owner, usedMs * kept)
    }
    this.#computing = new Map()
    for (const { owner, load, lastUsedMs } of sandboxes) {
      if (owner === undefined) continue
      this.#usedMs.set(owner, (this.#usedMs.get(owner) ?? 0) + lastUsedMs)
      if (load > idleLoad) this.#computing.set(owner, (this.#computing.get(owner) ?? 0) + 1)
    }
  }

  /** A sandbox that starts now counts from the next `update` on. */
  divisorOf({ owner, load, usedMs }: CpuUse): number {
    const own = stepOf(usedMs)
    if (owner === undefined) return own
    const others = (this.#computing.get(owner) ?? 0) - (load > idleLoad ? 1 : 0)
    return own * this.divisorOfOwner(owner) * (1 + Math.max(0, others))
  }

  divisorOfOwner(owner: number): number {
    return stepOf(this.#usedMs.get(owner) ?? 0)
  }

  /** The weight of these owners together, in weights of an owner without recent use. */
  shareOf(owners: Iterable<number | undefined>): number {
    let share = 0
    for (const owner of owners) share += owner === undefined ? 1 : 1 / this.divisorOfOwner(owner)
    return share
  }
}
