import { basename } from 'node:path'
import type { ScheduledBackup } from '../schedule/found-backups.ts'

/** A complete backup from which the write-ahead log can be applied. */
export interface ClusterBackup {
  path: string
  /** The time of its start. */
  name: string
  madeAt: Date
  walSegment: string
}

/** The oldest first. */
export const archivedBackups = (backups: readonly ScheduledBackup[]): ClusterBackup[] =>
  backups
    .flatMap(({ path, madeAt, manifest: { walSegment } }) =>
      walSegment === undefined ? [] : [{ path, name: basename(path), madeAt, walSegment }],
    )
    .toSorted((a, b) => a.madeAt.getTime() - b.madeAt.getTime())
