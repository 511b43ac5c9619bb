import type { ExecutorCapacity } from '../port/capacity.ts'
import type { PackageMirror } from '../port/package-mirror.ts'
import type { Builder, Runner } from '../port/platform.ts'
import type { SandboxExit } from '../port/sandbox-exit.ts'
import type { SandboxSummary } from '../port/sandboxes.ts'

/**
 * JSON responses by kind of request. Other requests are answered with bytes (`log`, `logSince`, `file`, `tree`, `folder`), with a
 * response that ends when the input was read (`start`), or with no content.
 */
export interface JsonAnswers {
  capacity: ExecutorCapacity
  runner: Runner
  builder: Builder
  mirrors: PackageMirror[]
  process: ProcessUse
  list: SandboxSummary[]
  wait: SandboxExit
  forbid: boolean
  hasImage: boolean
}

/** The use of the agent's process. */
export interface ProcessUse {
  /** Since 1970. */
  startedAtSeconds: number
  cpuSeconds: number
  residentBytes: number
  heapUsedBytes: number
  openFiles: number
  /** Since the call before; 0 at the first. */
  eventLoopLagSeconds: { p50: number; p99: number }
}

/** Header with the position of a log part's first byte. */
export const logStartHeader = 'x-log-start'
