import type { Kill } from './killer.ts'
import type { Recovery } from './recovery.ts'
import { victimKinds } from './victims.ts'

export interface Tally {
  seed: number
  kills: Kill[]
  runs: number
  ends: Map<string, number>
  cleanMs: number[]
  faults: string[]
  recovery: Recovery
}

const shownMax = 40

/** For people: what was killed, how runs ended, what is wrong. */
export function tellTally({ kills, ends, faults, recovery, cleanMs }: Tally): string {
  const counts = victimKinds.map((kind) => `${kind} ${kills.filter((kill) => kill.kind === kind).length}`)
  const byEnd = [...ends].toSorted(([, one], [, other]) => other - one)
  return [
    `killed: ${counts.join(', ')}`,
    ...byEnd.map(([end, count]) => `  ${String(count).padStart(5)} ${end}`),
    `answering again: ${told(recovery.answeringMs)}`,
    `starting jobs again: ${told(recovery.startingMs)}`,
    `orphans settled: ${told(recovery.settlingMs)}`,
    `nothing left behind: ${told(cleanMs)}`,
    ...faults.slice(0, shownMax).map((fault) => `FAULT ${fault}`),
    ...(faults.length > shownMax ? [`and ${faults.length - shownMax} more`] : []),
  ].join('\n')
}

/** The last line of the suite. */
export function jsonTally({ seed, kills, runs, faults, recovery, cleanMs }: Tally): string {
  return JSON.stringify({
    suite: 'crash',
    seed,
    cases: kills.length,
    failed: faults.length,
    runs,
    answering_p50_ms: atQuantile(recovery.answeringMs, 0.5),
    answering_worst_ms: atQuantile(recovery.answeringMs, 1),
    starting_worst_ms: atQuantile(recovery.startingMs, 1),
    settled_p50_ms: atQuantile(recovery.settlingMs, 0.5),
    settled_worst_ms: atQuantile(recovery.settlingMs, 1),
    clean_worst_ms: atQuantile(cleanMs, 1),
  })
}

const told = (times: number[]): string =>
  `p50 ${atQuantile(times, 0.5)} ms, p95 ${atQuantile(times, 0.95)} ms, worst ${atQuantile(times, 1)} ms (${times.length})`

function atQuantile(times: number[], quantile: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0)
}
