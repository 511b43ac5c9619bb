/** What a sandbox that has used this much processor time divides its weight by. */
const steps = [
  { usedMs: 1000, divisor: 4 },
  { usedMs: 10_000, divisor: 16 },
] as const

/** A sandbox that keeps less of a processor busy than this rests. */
const restingLoad = 0.05

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
 * yields to those that have started lately: a short run waits for a share of a processor, not for its turn among all that
 * compute for hours. Where nobody else wants the processor, nothing is given up.
 */
export function weightDivisors<Sandbox extends Computing>(sandboxes: Sandbox[]): Map<Sandbox, number> {
  const computing = new Map<number, number>()
  for (const { owner, load } of sandboxes) {
    if (owner !== undefined && load > restingLoad) computing.set(owner, (computing.get(owner) ?? 0) + 1)
  }
  return new Map(
    sandboxes.map((sandbox) => {
      const { owner, load, usedMs } = sandbox
      const others = (computing.get(owner ?? 0) ?? 0) - (load > restingLoad ? 1 : 0)
      const own = steps.findLast((step) => usedMs >= step.usedMs)?.divisor ?? 1
      return [sandbox, own * (owner === undefined ? 1 : 1 + others)]
    }),
  )
}
