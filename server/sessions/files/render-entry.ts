import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { executableBit, type TreeEntry } from '../trees/tree.ts'

export const renderEntry = (entry: TreeEntry): SessionFile => ({
  path: entry.path,
  kind: entry.kind,
  byte_size: entry.kind === 'file' ? entry.byteSize : 0,
  is_executable: entry.kind === 'file' && (entry.mode & executableBit) !== 0,
  digest: entry.kind === 'file' ? entry.digest : null,
  target: entry.kind === 'link' ? entry.target : null,
})
