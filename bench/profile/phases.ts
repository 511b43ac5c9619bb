import { mean, percentile } from '../harness/measure/percentile.ts'
import { aligned } from '../harness/measure/report.ts'

/** Moments of one operation in order, in milliseconds of one clock. */
export type Moments = [name: string, at: number][]

/**
 * The time between moments, as a text table: each line is the time since the previous moment. Means add up to the
 * whole. File systems stamp at clock ticks: errors cancel out in means, not in single values.
 */
export function phaseTable(title: string, operations: readonly Moments[]): string {
  const lines: string[][] = [[title, 'mean ms', 'p50 ms', 'share']]
  const names = operations[0]?.map(([name]) => name) ?? []
  const wholes = operations.map((moments) => (moments.at(-1)?.[1] ?? 0) - (moments[0]?.[1] ?? 0))
  for (const [at, name] of names.entries()) {
    if (at === 0) continue
    const took = operations.map((moments) => (moments[at]?.[1] ?? 0) - (moments[at - 1]?.[1] ?? 0))
    lines.push(lineOf(name, took, mean(took) / mean(wholes)))
  }
  return aligned([...lines, lineOf('whole', wholes, 1)])
}

const lineOf = (name: string, tookMs: readonly number[], share: number): string[] => [
  `  ${name}`,
  mean(tookMs).toFixed(2),
  percentile(tookMs, 0.5).toFixed(2),
  `${(share * 100).toFixed(0)}%`,
]
