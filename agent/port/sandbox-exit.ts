import type { Reach } from './network-reach.ts'
import type { Refusals } from './network-refusals.ts'

export type SandboxCause =
  | 'exited'
  | 'signalled'
  | 'deadline'
  | 'stopped'
  | 'out_of_memory'
  /** The sandbox sent more than its egress cap. */
  | 'egress_cap'
  /** The program never started: `detail` names the part that failed. */
  | 'start_failed'
  /** The shim or the host died before an exit record was written. */
  | 'lost'

/** `lost`: the file existed, and the host could not store it. `late`: the files were not copied in the time for their size. */
export type CollectedFileStatus = 'present' | 'absent' | 'too_large' | 'not_regular' | 'lost' | 'late'

export interface SandboxExit {
  cause: SandboxCause
  exitCode: number | null
  signal: number | null
  /** Slug `[a-z0-9_:.-]{0,100}`, empty unless something failed. */
  detail: string
  startedAt: string | null
  endedAt: string
  oomKills: number
  /** Forks refused by the process limit; 0 under gVisor, which does not count them. */
  pidsLimitHits: number
  /** Less than 256 KiB or no inode was free in the workspace at the end. */
  workspaceFull: boolean
  /** The program failed while /dev/shm was full. */
  sharedMemoryFull: boolean
  peakMemoryBytes: number
  cpuMs: number
  /** Bytes received and sent over the sandbox's link, without packet headers; 0 without a link. */
  network: { ingressBytes: number; egressBytes: number; refused?: Refusals; reached?: Reach }
  log: { totalBytes: number; keptBytes: number }
  files: Record<string, { status: CollectedFileStatus; byteSize: number }>
  /**
   * Null if the spec collects no tree. `rejected` keeps no file; `reason` is the slug of the violated rule, or `storage` if the
   * host could not store a valid tree.
   */
  tree: CollectedTree | null
  /** Null if the spec collects no folder. `rejected` keeps nothing of it. */
  folder: CollectedFolder | null
}

export type CollectedFolder = Omit<CollectedTree, 'files'>

export interface CollectedTree {
  status: 'collected' | 'absent' | 'rejected'
  reason: string
  /** The last 255 bytes of the path that broke the rule, if one did; raw bytes in latin1. */
  path?: string
  files: CollectedTreeFile[]
}

export interface CollectedTreeFile {
  /** Path below the tree's root, raw bytes in latin1: the caller decides which text it accepts. */
  path: string
  byteSize: number
  /** Seconds since 1970, 0 for anything before. */
  modifiedAt: number
}

/**
 * Parts of a start that other processes can end, or for which the machine may lack something at that moment: the runtime, which
 * for the launcher is each of its steps (native/launcher/steps.h), and the network that the agent holds for the sandbox.
 */
const partsOfOthers = /^(runtime|launch_.*|network_gone|network_join)$/

/**
 * True if a sandbox ended before its program started, through no fault of the program: its input was truncated, or its runtime
 * failed or was killed, or its network ended with the agent. Only the shim can report this. The id is used.
 */
export const programNeverStarted = ({ cause, detail }: SandboxExit): boolean =>
  (cause === 'lost' && detail === 'input_cut') || (cause === 'start_failed' && partsOfOthers.test(detail))
