import { mean, percentile, rounded } from './percentile.ts'

/** The bar for a ratio. The ratio is ours over the peer's, for times and rates alike. */
export type Reach = { atMost: number } | { atLeast: number }

export interface Figures {
  p50_ms: number
  p99_ms: number
  /** Operations per second, one after another unless the benchmark says otherwise. */
  rate: number
}

/**
 * One row of the result: ours compared with one peer. A field is null if it could not be measured; `notes` says why.
 */
export interface Row {
  name: string
  ours: Figures | null
  /** Present if memory is measured: mebibytes. */
  mib?: number
  peer: string
  peer_ms: number | null
  /** Present if rates are compared: operations per second of the peer. */
  peer_rate?: number | null
  ratio: number | null
  /** Null without a bar; the row is then for comparison only. */
  reach: string | null
  met: boolean | null
  /** Medians in milliseconds of what no implementation can avoid. */
  floor: Record<string, number>
  /** Processor time of one operation, of all processes. */
  cpu_ms: { ours: number | null; peer: number | null }
  notes: string[]
}

export interface Measured {
  samplesMs: readonly number[]
  cpuMs: number | null
}

export interface Comparison {
  name: string
  ours: Measured | undefined
  peer: { name: string; measured: Measured | undefined; reach: Reach | undefined; notes: string[] }
  floor: Record<string, number>
  notes: string[]
}

export const figuresOf = (samplesMs: readonly number[]): Figures => ({
  p50_ms: rounded(percentile(samplesMs, 0.5)),
  p99_ms: rounded(percentile(samplesMs, 0.99)),
  rate: rounded(1000 / mean(samplesMs)),
})

/** Compares medians. A bar is not met when its ratio could not be measured. */
export function rowOf({ name, ours, peer, floor, notes }: Comparison): Row {
  const own = ours && ours.samplesMs.length > 0 ? figuresOf(ours.samplesMs) : null
  const theirs = peer.measured && peer.measured.samplesMs.length > 0 ? peer.measured : undefined
  const peerMs = theirs ? rounded(percentile(theirs.samplesMs, 0.5)) : null
  const ratio = own && peerMs !== null ? rounded(own.p50_ms / peerMs) : null
  return {
    name,
    ours: own,
    peer: peer.name,
    peer_ms: peerMs,
    ratio,
    reach: peer.reach ? reachText(peer.reach) : null,
    met: peer.reach ? ratio !== null && reached(ratio, peer.reach) : null,
    floor,
    cpu_ms: { ours: cpuOf(ours), peer: cpuOf(theirs) },
    notes: [...notes, ...peer.notes],
  }
}

export const reached = (ratio: number, reach: Reach): boolean =>
  'atMost' in reach ? ratio <= reach.atMost : ratio >= reach.atLeast

export const reachText = (reach: Reach): string =>
  'atMost' in reach ? `at most ${reach.atMost} x` : `at least ${reach.atLeast} x`

const cpuOf = (measured: Measured | undefined): number | null =>
  measured?.cpuMs == null ? null : rounded(measured.cpuMs)
