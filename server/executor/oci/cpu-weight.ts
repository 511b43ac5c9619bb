/** What a sandbox that has used this much processor time divides its weight by. */
const steps = [
  { usedMs: 1000, divisor: 4 },
  { usedMs: 10_000, divisor: 16 },
] as const

/**
 * How much of its weight a sandbox gives up for the processor time it has used. What has just begun goes first: a short run waits
 * for a share of a processor, not for its turn among all that compute for hours. Nothing is given up where nobody else wants
 * the processor.
 */
export const weightDivisor = (usedMs: number): number =>
  steps.findLast((step) => usedMs >= step.usedMs)?.divisor ?? 1
