import type { Launcher, Timed } from '../harness/sandbox/launcher.ts'

/** A program that does the same as our side, ready to be timed. */
export interface Peer {
  launcher: Launcher
  /** Mean processor time of one operation; null if it cannot be measured. */
  cpuMs(): number | null
  /** Facts that a reader needs to judge the comparison. */
  notes: string[]
  close(): Promise<void>
}

/** Inputs of a peer. */
export interface PeerParts {
  /** Path of the compiled launcher. */
  launcher: string
  /** A folder for this peer, removed with the benchmark. */
  folder: string
  /** Data folder of a service that has run the job. */
  dataDir: string
  job: PeerJob
}

/** The program of a peer's containers, and the timed event. */
export interface PeerJob {
  /** A program of busybox and its arguments, without characters that are special to a shell. */
  words: readonly string[]
  timed: Timed
}
