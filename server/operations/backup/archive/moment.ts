import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { Recovery } from '../../../postgres/recover.ts'
import { BackupProblem } from '../backup-problem.ts'
import { filesBelow } from '../copy-files.ts'
import { plainContent, plainName } from '../encryption/backup-files.ts'
import type { RestoredFile } from '../restore-files.ts'
import { findBackups, nameOf } from '../schedule/found-backups.ts'
import { ArchiveFolder } from './archive-folder.ts'
import { type ArchivedSegment, namesOfWhole } from './archived-segments.ts'
import { archivedBackups, type ClusterBackup } from './cluster-backups.ts'
import { firstMissing } from './segments.ts'

/** Parts of a restore to a moment. */
export interface Moment {
  until: Date
  backup: ClusterBackup
  /** From the backup on, without a gap. The last one may be a part. */
  segments: ArchivedSegment[]
  /** The first segment that is missing or a part while later ones are there. */
  missing: string | undefined
  /** Keys and objects that came after the backup, the oldest first. */
  files: RestoredFile[]
}

/** Finds what the folder of scheduled backups has for a moment. Throws a `BackupProblem` if that is not enough, as far as names show it. */
export async function findMoment(
  folder: string,
  { until, identityFile }: { until: Date; identityFile: string | undefined },
): Promise<Moment> {
  const found = await findBackups(folder)
  const backups = archivedBackups(found.filter((backup) => backup.state === 'complete'))
  const backup = backups.findLast(({ madeAt }) => madeAt <= until)
  if (!backup) throw new BackupProblem(noBackup(folder, until, backups))
  const archive = new ArchiveFolder(folder)
  const archived = (await archive.listSegments()).filter(({ name }) => name >= backup.walSegment)
  const end = firstMissing(backup.walSegment, namesOfWhole(archived))
  const segments = archived.filter(({ name }) => name <= end)
  if (segments.length === 0)
    throw new BackupProblem(`segment ${end} is missing, with which the recovery of ${backup.path} starts`)
  const missing = archived.length > segments.length ? end : undefined
  const files = await filesUntil(archive, { from: backup.name, until, identityFile })
  if (identityFile === undefined && [...segments, ...files].some(({ isEncrypted }) => isEncrypted))
    throw new BackupProblem('the archive is encrypted: name the file of the identity with --identity')
  return { until, backup, segments, missing, files }
}

const noBackup = (folder: string, until: Date, [oldest]: ClusterBackup[]): string =>
  oldest
    ? `the earliest moment that ${folder} has is ${oldest.madeAt.toISOString()}, and not ${until.toISOString()}`
    : `${folder} has no backup from which a moment can be restored: those made with SANDBOX_BACKUP_WAL_BYTES have a folder cluster`

/** The first folder after the moment has files from before it too. A key that was rotated since is in it as the former one. */
async function filesUntil(
  archive: ArchiveFolder,
  { from, until, identityFile }: { from: string; until: Date; identityFile: string | undefined },
): Promise<RestoredFile[]> {
  const names = (await archive.listFiles()).filter((name) => name >= from)
  const after = names.findIndex((name) => name > nameOf(until))
  const files: RestoredFile[] = []
  for (const name of names.slice(0, after === -1 ? names.length : after + 1)) {
    const root = archive.filesAt(name)
    for await (const stored of filesBelow(root)) {
      const { name: path, isEncrypted } = plainName(stored)
      files.push({ path, file: join(root, stored), isEncrypted, identityFile })
    }
  }
  return files
}

/** The segments as recovery reads them. */
export const contentOfSegments = (
  { segments }: Moment,
  identityFile: string | undefined,
): Recovery['segments'] =>
  segments.map(({ name, ...stored }) => ({
    name,
    content: () => [...plainContent({ ...stored, identityFile }), createGunzip()],
  }))
