import { percentile, rounded } from './percentile.ts'
import { type Reach, type Row, reached, reachText } from './row.ts'

/** The result of one round. */
export interface RateResult {
  answers: number
  ratePerSecond: number
  /** Of single operations, if they are timed. */
  p50Ms?: number
  p99Ms?: number
}

/** One side of a comparison of rates: a result per round, and the processor time of all its processes, if known. */
export interface MeasuredRate {
  results: readonly RateResult[]
  cpuMs: number | null
}

export interface RateComparison {
  name: string
  ours: MeasuredRate
  peer: { name: string; measured: MeasuredRate | undefined; reach: Reach }
  floor?: Record<string, number>
  notes: string[]
}

/**
 * Compares the median rates of the rounds. `p50_ms` and `p99_ms` are medians of those of the rounds. A bar is not met
 * when its ratio could not be measured.
 */
export function rateRowOf({ name, ours, peer, floor = {}, notes }: RateComparison): Row {
  const { measured } = peer
  const rate = medianOf(ours, (result) => result.ratePerSecond) ?? 0
  const peerRate = measured ? medianOf(measured, (result) => result.ratePerSecond) : null
  const ratio = peerRate === null ? null : rounded(rate / peerRate)
  return {
    name,
    ours: {
      p50_ms: medianOf(ours, (result) => result.p50Ms) ?? 0,
      p99_ms: medianOf(ours, (result) => result.p99Ms) ?? 0,
      rate,
    },
    peer: peer.name,
    peer_ms: measured ? medianOf(measured, (result) => result.p50Ms) : null,
    peer_rate: peerRate,
    ratio,
    reach: reachText(peer.reach),
    met: ratio !== null && reached(ratio, peer.reach),
    floor,
    cpu_ms: { ours: cpuOf(ours), peer: measured ? cpuOf(measured) : null },
    notes,
  }
}

function medianOf({ results }: MeasuredRate, of: (result: RateResult) => number | undefined): number | null {
  const values = results.map(of).filter((value) => value !== undefined)
  return values.length === 0 ? null : rounded(percentile(values, 0.5))
}

function cpuOf({ results, cpuMs }: MeasuredRate): number | null {
  return cpuMs === null ? null : rounded(cpuMs / results.reduce((sum, { answers }) => sum + answers, 0))
}
