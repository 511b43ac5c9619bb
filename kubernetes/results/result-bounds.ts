import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { ResultName } from './result-store.ts'

/** A size and a time, a path of 4000 bytes at most, and what divides them. */
const indexEntryBytes = 5 * 1024
/** Bytes of an entry of a folder beside the contents of files: its header, and the target of a link. */
const folderEntryBytes = 9 * 1024
/** Of all indexes, whatever number of files a specification allows. */
const indexMaxBytes = 64 * 1024 ** 2

/** Every result that a sandbox of this specification may have, and its most bytes. */
export function resultBounds({ limits, collect }: SandboxSpec): Map<ResultName, number> {
  const bounds = new Map<ResultName, number>([['log', limits.logBytes]])
  for (const [at, { maxBytes }] of collect.files.entries()) bounds.set(`file-${at}`, maxBytes)
  if (collect.tree) {
    bounds.set('tree', collect.tree.maxBytes)
    bounds.set('tree-index', Math.min(indexMaxBytes, collect.tree.maxFiles * indexEntryBytes))
  }
  if (collect.folder)
    bounds.set('folder', collect.folder.maxBytes + collect.folder.maxFiles * folderEntryBytes)
  return bounds
}
