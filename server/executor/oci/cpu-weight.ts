/** What a sandbox that has used this much processor time divides its weight by, and an owner that has lately. */
const steps = [
  { usedMs: 1000, divisor: 4 },
  { usedMs: 10_000, divisor: 16 },
] as const

const stepOf = (usedMs: number): number => steps.findLast((step) => usedMs >= step.usedMs)?.divisor ?? 1

/** A sandbox that keeps less of a processor busy than this rests. */
const restingLoad = 0.05
/** Half of what an owner has used is forgotten after so long. */
const halfForgottenMs = 10_000
/** Less than this is nothing. */
const forgottenMs = 1

export interface Computing {
  /** Absent: it is an owner of its own. */
  owner: number | undefined
  /** Processors that it keeps busy. */
  load: number
  usedMs: number
}

/**
 * By what each sandbox divides its weight while processors are short. The weight of an owner is divided among its sandboxes
 * that compute, so that an owner with many of them gets no more than one with a few. A sandbox that has computed for long
 * yields to those that have started lately, and an owner that has computed much lately to one that has not: a short run waits
 * for a share of a processor, not for its turn among all that compute for hours. Where nobody else wants the processor,
 * nothing is given up.
 */
export class CpuWeights {
  /** Processor time that owners have used lately, in milliseconds. */
  readonly #usedMs = new Map<number, number>()
  /** Sandboxes of owners that compute. */
  #computing = new Map<number, number>()

  /** Looks at the sandboxes, which have used `usedMs` since the last look, `passedMs` ago. */
  look(sandboxes: Iterable<Computing & { lastUsedMs: number }>, passedMs: number): void {
    const kept = 0.5 ** (passedMs / halfForgottenMs)
    for (const [owner, usedMs] of this.#usedMs) {
      if (usedMs * kept < forgottenMs) this.#usedMs.delete(owner)
      else this.#usedMs.set(owner, usedMs * kept)
    }
    this.#computing = new Map()
    for (const { owner, load, lastUsedMs } of sandboxes) {
      if (owner === undefined) continue
      this.#usedMs.set(owner, (this.#usedMs.get(owner) ?? 0) + lastUsedMs)
      if (load > restingLoad) this.#computing.set(owner, (this.#computing.get(owner) ?? 0) + 1)
    }
  }

  /** One that starts now counts from the next look on. */
  divisorOf({ owner, load, usedMs }: Computing): number {
    const own = stepOf(usedMs)
    if (owner === undefined) return own
    const others = (this.#computing.get(owner) ?? 0) - (load > restingLoad ? 1 : 0)
    return own * stepOf(this.#usedMs.get(owner) ?? 0) * (1 + Math.max(0, others))
  }
}
