import type { Readable } from 'node:stream'
import type { AllowList } from './allow-list.ts'

/**
 * The executor port: plain data in, plain data out, no word about runs, builds or tenants.
 *
 * A sandbox is started at most once per id, for ever: `start` on an id that already has a record answers
 * with the record it finds, and `forbid` turns an id that was never started into one that never will be.
 * What a sandbox leaves behind (exit record, log, collected files) stays readable until `remove`, across
 * restarts of every process. Callers may repeat every call.
 */
export interface Executor {
  capacity(): Promise<ExecutorCapacity>
  /** What runs every sandbox of this executor; it changes only when the executor is replaced. */
  runner(): Promise<Runner>
  /** What builds here: a build sandbox that starts now has it below it. Refuses with `builder_missing`. */
  builder(): Promise<Builder>
  /**
   * Starts the sandbox and feeds `stdin` to its program. Resolves once the program runs and its input is in safe hands, or
   * it has ended; where it ended before its program began (`endedUnbegun`), the start is refused with `unbegun`. The log
   * shows none of the values in `masked`, in whatever common form they are printed: at most 100, of 4 bytes to 64 KiB
   * each, 256 KiB in all. Neither they nor `stdin` are written down anywhere.
   */
  start(spec: SandboxSpec, stdin: Buffer | Readable, masked?: readonly string[]): Promise<void>
  /** Resolves with the exit record, now or when there is one; rejects with `SandboxUnknown` or on `signal`. */
  wait(id: string, signal?: AbortSignal): Promise<SandboxExit>
  /** Asks for the end of a sandbox: every process in it is killed, the exit record says `stopped`. */
  stop(id: string): Promise<void>
  /** True when the id was never started; from then on `start` refuses it. */
  forbid(id: string): Promise<boolean>
  /** The bounded log so far, head, mark and tail. */
  log(id: string): Promise<Readable>
  /**
   * The newest bytes of the log from `position` on, counted over all that was ever logged: at most 256 KiB. Where there are
   * none yet they are waited for, at most `waitMs` (0 without it, 10 s at most).
   */
  logSince(id: string, position: number, waitMs?: number): Promise<LogPart>
  /** One collected file by its name in `spec.collect.files`; only after the exit record says `present`. */
  file(id: string, name: string): Promise<Readable>
  /** The bytes of all collected tree files, one after another as `exit.tree.files` lists them. */
  tree(id: string): Promise<Readable>
  remove(id: string): Promise<void>
  list(): Promise<SandboxSummary[]>
  /** True when the image can be started without `installImage`. */
  hasImage(digest: string): Promise<boolean>
  /** Unpacks a flat, uncompressed layer tar under `digest` (the tar's own sha256, verified), once. */
  installImage(digest: string, tar: Readable): Promise<void>
  removeImage(digest: string): Promise<void>
}

/** The part of a sandbox that is the platform's: what lies above its image, and what it may do. */
export interface Runner {
  /** Digest of the layer above every image: the shell, process 1, the unpacker, the mount points. */
  layerDigest: string
  /** Raised when programs that worked with one runner need not work with the next. */
  abiRevision: number
  /** Digest of the confinement that jobs get. */
  policyDigest: string
}

/** What a build can be made of, as the operator installed it. */
export interface Builder {
  /** Over the packages of the builder's root filesystem. */
  toolchainDigest: string
  /** Every base image by each of its full names, with the digest of its manifest. */
  baseImages: { name: string; digest: string }[]
}

export interface LogPart {
  /** Place of the first byte. */
  start: number
  bytes: Buffer
}

export type SandboxRootfs =
  /** An installed image under the platform's own layer. */
  | { kind: 'image'; digest: string }
  /** The builder's root filesystem, with the curated base images at `/base-images` (read-only). */
  | { kind: 'builder' }

/**
 * What stands between the program and the host's kernel, weakest first: a filter of system calls, or gVisor, a kernel
 * of its own. A build knows crun only.
 */
export const sandboxRuntimes = ['crun', 'runsc'] as const
export type SandboxRuntime = (typeof sandboxRuntimes)[number]

export interface SandboxSpec {
  /** `[a-z0-9_]{1,64}`, unique for ever. */
  id: string
  /**
   * ISO 8601: when the work was claimed that has this id. A start long after that is refused with `claim_expired`
   * (`start-in-time.ts`). Absent: a second start would do no harm.
   */
  claimedAt?: string
  rootfs: SandboxRootfs
  argv: string[]
  /** Environment of the program. Ends up in the runtime's state on disk, so never a secret. */
  env: Record<string, string>
  user: { uid: number; gid: number }
  hostname: string
  /** The weakest that will do: an executor may be set to give every job a stronger one. */
  runtime: SandboxRuntime
  /** `job` drops every capability; `build` keeps what buildah needs inside the user namespace. */
  confinement: 'job' | 'build'
  network: SandboxNetwork
  limits: SandboxLimits
  collect: SandboxCollect
  /**
   * From 1, opaque. Owners have equal parts of the processors and of the resolver's answers, whatever number of sandboxes
   * each has. Absent: the sandbox is an owner of its own.
   */
  owner?: number
}

/**
 * `none`: an unconnected loopback, as every build has it. Else a link to public addresses, and to the service's resolver.
 * A job on the builder's root filesystem is a pull of a base image, which has an operator's switch of its own.
 */
export type SandboxNetwork =
  | 'none'
  | {
      /** Bytes that the sandbox may send, counted as `exit.network` does; beyond, it ends. */
      egressCapBytes: number
      /** Absent: every public address. */
      allow?: AllowList
      /** For a pull: the operator's own registry too, even at an address that is not public. */
      registry?: true
    }

export interface SandboxLimits {
  timeoutMs: number
  memoryBytes: number
  /** Memory that the program sees and is promised; absent: all of it. The rest is for the workspace and the platform. */
  shownMemoryBytes?: number
  /** Size of the one filesystem that takes every write: /workspace and the overlay above the image. */
  workspaceBytes: number
  /** `memory`: tmpfs charged to the sandbox; `disk`: a size-capped file on the host's disk. */
  workspaceKind: 'memory' | 'disk'
  workspaceInodes: number
  vcpu: number
  pids: number
  openFiles: number
  /** Log bytes kept: the first half as head, the rest as the newest tail. */
  logBytes: number
}

/** What is copied out of /workspace once no process of the sandbox is left. */
export interface SandboxCollect {
  /** Regular files by absolute path below /workspace. */
  files: { name: string; path: string; maxBytes: number }[]
  tree?: { path: string; maxFiles: number; maxBytes: number; maxPathBytes: number; maxNameBytes: number }
}

export type SandboxCause =
  | 'exited'
  | 'signalled'
  | 'deadline'
  | 'stopped'
  | 'out_of_memory'
  /** It sent more than its network's cap. */
  | 'egress_cap'
  /** The program never started: `detail` names the part that failed. */
  | 'start_failed'
  /** The record of a sandbox that ended without one: its keeper or the host died. */
  | 'lost'

/** `lost`: it was there, and could not be kept for a reason of the host's. */
export type CollectedFileStatus = 'present' | 'absent' | 'too_large' | 'not_regular' | 'lost'

export interface SandboxExit {
  cause: SandboxCause
  exitCode: number | null
  signal: number | null
  /** Slug `[a-z0-9_:.-]{0,100}`, empty unless something failed. */
  detail: string
  startedAt: string | null
  endedAt: string
  oomKills: number
  /** Times a fork was refused by the process limit; 0 under gVisor, which does not count them. */
  pidsLimitHits: number
  /** Less than 256 KiB, or no inode, was left in the workspace at the end. */
  workspaceFull: boolean
  peakMemoryBytes: number
  cpuMs: number
  /** What came and went over the sandbox's link, without the headers that full packets have; 0 where there is none. */
  network: { ingressBytes: number; egressBytes: number; refused?: Refusals }
  log: { totalBytes: number; keptBytes: number }
  files: Record<string, { status: CollectedFileStatus; byteSize: number }>
  /**
   * Null when no tree was asked for. `rejected` keeps no file; `reason` is a slug naming the rule, or `storage` where the
   * host could not keep what kept all rules.
   */
  tree: { status: 'collected' | 'absent' | 'rejected'; reason: string; files: CollectedTreeFile[] } | null
}

/** What a sandbox tried to reach and did not, as far as it was noted. */
export interface Refusals {
  /** At most 200, oldest first. */
  entries: Refusal[]
  /** Attempts beyond these. */
  more: number
}

/** Attempts that differ in nothing but their time. */
export interface Refusal {
  reason: RefusalReason
  /** `dns` for a name that was asked for. */
  protocol: 'tcp' | 'udp' | 'dns' | 'other'
  /** At most 255 characters of printable ASCII; other bytes stand as `\ddd`. Empty unless `dns`. */
  name: string
  /** Empty where none is known. */
  address: string
  /** 0 where there is none. */
  port: number
  count: number
  firstAt: string
  lastAt: string
}

/** Why a packet is refused, in the order of `rules.ts`' marks, and why a name is not answered. */
export const refusalReasons = [
  'not_public_address',
  'host_address',
  'other_sandbox',
  'foreign_resolver',
  'unsupported_protocol',
  'too_many_connections',
  'not_in_allow_list',
  'name_not_in_allow_list',
  'name_has_inner_address',
  'metadata_address',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

export interface CollectedTreeFile {
  /** Path below the tree's root as raw bytes in latin1: the caller decides which text it accepts. */
  path: string
  byteSize: number
}

export interface SandboxSummary {
  id: string
  state: 'starting' | 'running' | 'exited' | 'forbidden'
}

export interface ExecutorCapacity {
  cpus: number
  /** Memory that all sandboxes may have together. */
  memoryBytes: number
  /** Sandboxes that may run at once. */
  slots: number
  running: number
}

/** The executor has no record of that id. */
export class SandboxUnknown extends Error {
  constructor(id: string) {
    super(`no sandbox ${id}`)
    this.name = 'SandboxUnknown'
  }
}

/** The executor cannot be reached or answered outside its protocol; nothing is known of the call's effect. */
export class ExecutorUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExecutorUnavailable'
  }
}

/** The executor refuses: `slug` names the missing or failed control, the message says what to do. */
export class ExecutorRefused extends Error {
  readonly slug: string
  constructor(slug: string, message: string) {
    super(message)
    this.name = 'ExecutorRefused'
    this.slug = slug
  }
}

/** The slug of a refusal that passes: every place for a sandbox is taken. */
export const noCapacity = 'no_capacity'

/** The slug of a refusal: the sandbox was started, and ended before its program began. */
export const unbegun = 'unbegun'

/**
 * True of a sandbox that was ended before its program began, by no fault of the program's: its input was cut on the way, or
 * its runtime failed or was killed. The keeper alone can say so.
 */
export const endedUnbegun = ({ cause, detail }: SandboxExit): boolean =>
  (cause === 'lost' && detail === 'input_cut') || (cause === 'start_failed' && detail === 'runtime')
