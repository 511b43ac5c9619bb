/**
 * The smallest sample that at least `share` (0 to 1) of the samples do not exceed, by nearest rank; NaN without
 * samples.
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

export const mean = (samples: readonly number[]): number =>
  samples.reduce((sum, sample) => sum + sample, 0) / samples.length

/** Three decimals: a wall clock is not more precise. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000
