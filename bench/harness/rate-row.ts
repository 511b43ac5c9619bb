import type { LoadResult } from './load.ts'
import { percentile, rounded } from './percentile.ts'
import { type Reach, type Row, reached, reachText } from './row.ts'

/** One side of a comparison of rates: a result per round, and the processor time of all its processes. */
export interface MeasuredRate {
  results: readonly LoadResult[]
  cpuMs: number
}

export interface RateComparison {
  name: string
  ours: MeasuredRate
  peer: { name: string; measured: MeasuredRate; reach: Reach }
  notes: string[]
}

/** Compares the median rates of the rounds. `p50_ms` and `p99_ms` are medians of those of the rounds. */
export function rateRowOf({ name, ours, peer, notes }: RateComparison): Row {
  const rate = medianOf(ours, (result) => result.ratePerSecond)
  const peerRate = medianOf(peer.measured, (result) => result.ratePerSecond)
  const ratio = rounded(rate / peerRate)
  return {
    name,
    ours: {
      p50_ms: medianOf(ours, (result) => result.p50Ms),
      p99_ms: medianOf(ours, (result) => result.p99Ms),
      rate,
    },
    peer: peer.name,
    peer_ms: medianOf(peer.measured, (result) => result.p50Ms),
    peer_rate: peerRate,
    ratio,
    reach: reachText(peer.reach),
    met: reached(ratio, peer.reach),
    floor: {},
    cpu_ms: { ours: cpuOf(ours), peer: cpuOf(peer.measured) },
    notes,
  }
}

const medianOf = ({ results }: MeasuredRate, of: (result: LoadResult) => number): number =>
  rounded(percentile(results.map(of), 0.5))

const cpuOf = ({ results, cpuMs }: MeasuredRate): number =>
  rounded(cpuMs / results.reduce((sum, { answers }) => sum + answers, 0))
