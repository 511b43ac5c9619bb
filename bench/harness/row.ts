import { mean, percentile, rounded } from './percentile.ts'

/** What a ratio has to reach. Of times and rates alike the ratio is ours over the peer's. */
export type Reach = { atMost: number } | { atLeast: number }

export interface Figures {
  p50_ms: number
  p99_ms: number
  /** Operations per second, one after another unless the benchmark says otherwise. */
  rate: number
}

/** One line of the result: ours against one peer. Null where nothing could be measured, and `notes` says why. */
export interface Row {
  name: string
  ours: Figures | null
  /** Set where memory is measured: mebibytes. */
  mib?: number
  peer: string
  peer_ms: number | null
  /** Set where rates are compared: operations per second of the peer. */
  peer_rate?: number | null
  ratio: number | null
  /** Null where no bar is set; the row is then for comparison only. */
  reach: string | null
  met: boolean | null
  /** Medians of what no implementation can do without, in milliseconds. */
  floor: Record<string, number>
  /** Processor time of one operation, every process counted. */
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

/** Compares medians. A bar that could not be measured against is not met. */
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
