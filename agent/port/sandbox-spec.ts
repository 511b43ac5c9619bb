import type { AllowList } from './allow-list.ts'

export type SandboxRootfs =
  /** An installed image under the platform's own layer. */
  | { kind: 'image'; digest: string }
  /** The builder's root filesystem, with the curated base images at `/base-images` (read-only). */
  | { kind: 'builder' }

/**
 * The boundary between the program and the host's kernel, weakest first: a filter of system calls (crun, and the launcher, which
 * applies the same list), or gVisor's own kernel (runsc). Builds do not run on gVisor.
 */
export const sandboxRuntimes = ['crun', 'launcher', 'runsc'] as const
export type SandboxRuntime = (typeof sandboxRuntimes)[number]

/** The weakest runtime of each isolation level. */
export const runtimeOf: Record<'standard' | 'gvisor', SandboxRuntime> = { standard: 'crun', gvisor: 'runsc' }

export interface SandboxSpec {
  /** `[a-z0-9_]{1,64}`, unique for ever. */
  id: string
  /**
   * ISO 8601: when the work with this id was claimed. A start long after that is refused with `claim_expired`
   * (`start-in-time.ts`). Absent: a second start would be harmless.
   */
  claimedAt?: string
  rootfs: SandboxRootfs
  argv: string[]
  /**
   * Environment of the program. The runtime writes it to disk, so it must not contain secrets. Without HOME, the program gets
   * HOME, USER and LOGNAME of its user by the image's /etc/passwd.
   */
  env: Record<string, string>
  user: { uid: number; gid: number }
  hostname: string
  /** Minimum isolation: an executor may be configured to give every job a stronger runtime. */
  runtime: SandboxRuntime
  /** `job` drops every capability; `build` keeps what buildah needs inside the user namespace. */
  confinement: 'job' | 'build'
  network: SandboxNetwork
  limits: SandboxLimits
  collect: SandboxCollect
  /**
   * Opaque number from 1. Owners have equal shares of the processors and of the resolver, independent of their number of
   * sandboxes. Absent: the sandbox counts as a separate owner.
   */
  owner?: number
}

/**
 * `none`: an unconnected loopback. Otherwise a link to public addresses and to the service's resolver. Jobs, builds and pulls
 * of base images (jobs on the builder's root filesystem) each have a separate operator setting.
 */
export type SandboxNetwork =
  | 'none'
  | {
      /** Bytes that the sandbox may send, counted as in `exit.network`; beyond this it is ended. */
      egressCapBytes: number
      /** The same for what it receives; absent: no limit. */
      ingressCapBytes?: number
      /** Absent: every public address. */
      allow?: AllowList
      /** For a build: what it connects to is in `exit.network.reached`. */
      recorded?: true
      /** For a recorded build: the operator's package mirrors may be reached, through the agent's proxy. */
      mirrors?: true
      /** For a pull: the operator's registry may be reached, even at an internal address. */
      registry?: true
      /**
       * For a job: the service's listener for callbacks may be reached, at `serviceAddress` alone. The traffic of a link that leads
       * nowhere else is not measured.
       */
      service?: true
    }

export interface SandboxLimits {
  timeoutMs: number
  /** How long processes may go on after SIGTERM, at the deadline and after `terminate`. Absent: they are killed at once. */
  graceMs?: number
  memoryBytes: number
  /** Memory that the program sees as its own; absent: all of it. The rest is for the workspace and the platform. */
  shownMemoryBytes?: number
  /** Size of the filesystem for all writes: /workspace and the overlay above the image. */
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

/** Files that are copied out of /workspace after the last process of the sandbox has ended. */
export interface SandboxCollect {
  /** Regular files by absolute path below /workspace. */
  files: { name: string; path: string; maxBytes: number }[]
  tree?: CollectedPath
  /** With its folders, links and modes: all of these count as files. A link's target is bounded as a path is. */
  folder?: CollectedPath
}

export interface CollectedPath {
  path: string
  maxFiles: number
  maxBytes: number
  maxPathBytes: number
  maxNameBytes: number
}
