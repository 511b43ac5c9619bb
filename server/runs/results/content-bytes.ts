import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { outputName } from '../model/result-layout.ts'

/** Bytes of an artifact's row, as `db/schema/counted.sql` counts them. A path has one character for each byte. */
const recordBytes = (path: string): number => 2 * path.length + 512

/** Bytes of a sandbox's results that would be stored. */
export function contentBytes({ log, files, tree }: SandboxExit): number {
  const output = files[outputName]
  const outputBytes = output?.status === 'present' ? output.byteSize : 0
  const artifacts = tree?.status === 'collected' ? tree.files : []
  const treeBytes = artifacts.reduce((sum, { path, byteSize }) => sum + byteSize + recordBytes(path), 0)
  return Math.min(log.keptBytes, logMaxBytes) + outputBytes + treeBytes
}
