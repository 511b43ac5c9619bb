import { basename } from 'node:path'
import type { BackupFolder } from '../schedule/backup-folder.ts'

/** A complete backup from which the write-ahead log can be applied. */
export interface ClusterBackup {
  path: string
  /** The time of its start. */
  name: string
  madeAt: Date
  walSegment: string
}

/** The oldest first. */
export async function archivedBackups(folder: Pick<BackupFolder, 'list'>): Promise<ClusterBackup[]> {
  const found = await folder.list()
  return found
    .flatMap(({ path, madeAt, manifest: { walSegment } }) =>
      walSegment === undefined ? [] : [{ path, name: basename(path), madeAt, walSegment }],
    )
    .toReversed()
}
