import type { Builder, ExecutorCapacity, ProcessUse, Runner } from '../port/host.ts'
import type { PackageMirror } from '../port/package-mirror.ts'
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

/** Header with the position of a log part's first byte. */
export const logStartHeader = 'x-log-start'
