import type { Launcher, Timed } from '../harness/launcher.ts'

/** A program that does what we do, ready to be timed. */
export interface Peer {
  launcher: Launcher
  /** Mean processor time of one operation, as far as it can be told; null when it cannot. */
  cpuMs(): number | null
  /** What a reader has to know to judge the comparison. */
  notes: string[]
  close(): Promise<void>
}

/** What a peer is made from. */
export interface PeerParts {
  /** Path of the compiled launcher. */
  launcher: string
  /** A folder of the peer's own, which goes with the benchmark. */
  folder: string
  /** Data folder of a service that has run the job. */
  dataDir: string
  job: PeerJob
}

/** What a peer does in each of its containers, and which moment is timed. */
export interface PeerJob {
  /** A program of busybox and its arguments, without anything that a shell reads otherwise. */
  words: readonly string[]
  timed: Timed
}
