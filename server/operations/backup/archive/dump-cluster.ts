import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { type BackupTarget, writeBackupFile } from '../encryption/backup-files.ts'
import type { ListedFile } from '../file-list.ts'
import { streamCluster } from './base-backup-store.ts'
import { positionOf } from './segments.ts'

/** Path of the cluster in a backup that is not encrypted. */
export const clusterFile = 'cluster/base.tar.gz'

/** Copies the cluster, and returns the segment of the log with which its recovery starts. */
export async function dumpCluster(
  superuserUrl: string,
  target: BackupTarget,
): Promise<{ file: ListedFile; segment: string }> {
  await mkdir(join(target.target, 'cluster'), { mode: 0o700 })
  const { lsn, timeline, content } = await streamCluster(superuserUrl)
  const file = await writeBackupFile([content, createGzip({ level: 3 })], clusterFile, target)
  return { file, segment: positionOf(lsn, timeline).segment }
}
