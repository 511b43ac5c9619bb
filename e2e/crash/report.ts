import type { Recovery } from './checks/recovery.ts'
import type { Kill } from './faults/killer.ts'
import { victimKinds } from './faults/victims.ts'

export interface Tally {
  seed: number
  /** Kills, disruptions or submissions. */
  cases: number
  runs: number
  faults: string[]
  kills?: Kill[]
  ends?: Map<string, number>
  cleanMs?: number[]
  recovery?: Recovery
}

const shownMax = 40

/** Readable report: cases, ends of runs, violations. */
export function formatTally(tally: Tally): string {
  const { cases, runs, kills = [], ends = new Map(), faults, recovery, cleanMs = [] } = tally
  const counts = victimKinds.map((kind) => `${kind} ${kills.filter((kill) => kill.kind === kind).length}`)
  const byEnd = [...ends].toSorted(([, one], [, other]) => other - one)
  return [
    `${cases} cases, ${runs} runs`,
    ...(kills.length > 0 ? [`killed: ${counts.join(', ')}`] : []),
    ...byEnd.map(([end, count]) => `  ${String(count).padStart(5)} ${end}`),
    ...(recovery && kills.length > 0 ? formatRecovery(recovery) : []),
    ...(cleanMs.length > 0 ? [`clean after: ${formatTimes(cleanMs)}`] : []),
    ...faults.slice(0, shownMax).map((fault) => `FAULT ${fault}`),
    ...(faults.length > shownMax ? [`and ${faults.length - shownMax} more`] : []),
  ].join('\n')
}

const formatRecovery = ({ answering, starting, settling }: Recovery): string[] => [
  ...[...answering].map(([kind, times]) => `answering again after ${kind}: ${formatTimes(times)}`),
  ...[...starting].map(([kind, times]) => `starting jobs again after ${kind}: ${formatTimes(times)}`),
  `runs whose process was killed have ended: ${formatTimes(settling)}`,
]

/** The last line of the suite. */
export function jsonTally(name: string, { seed, cases, runs, faults, recovery, cleanMs }: Tally): string {
  const answering = [...(recovery?.answering.values() ?? [])].flat()
  const starting = [...(recovery?.starting.values() ?? [])].flat()
  return JSON.stringify({
    suite: name === 'kills' ? 'crash' : `crash-${name}`,
    seed,
    cases,
    failed: faults.length,
    runs,
    ...(cleanMs && { clean_worst_ms: atQuantile(cleanMs, 1) }),
    ...(recovery &&
      name === 'kills' && {
        answering_p50_ms: atQuantile(answering, 0.5),
        answering_worst_ms: atQuantile(answering, 1),
        starting_p50_ms: atQuantile(starting, 0.5),
        starting_worst_ms: atQuantile(starting, 1),
        settled_p50_ms: atQuantile(recovery.settling, 0.5),
        settled_worst_ms: atQuantile(recovery.settling, 1),
      }),
  })
}

const formatTimes = (times: number[]): string =>
  `p50 ${atQuantile(times, 0.5)} ms, p95 ${atQuantile(times, 0.95)} ms, worst ${atQuantile(times, 1)} ms (${times.length})`

function atQuantile(times: number[], quantile: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0)
}
