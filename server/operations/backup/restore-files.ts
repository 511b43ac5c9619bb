import { constants, createWriteStream } from 'node:fs'
import { chown, copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  type BackupSource,
  isEncrypted,
  plainContent,
  plainPath,
  type StoredFile,
} from './encryption/backup-files.ts'
import type { ListedFile } from './file-list.ts'

/** Target folder in the data folder for each folder of a backup. */
const folders: Record<string, string> = { keys: 'keys', objects: 'objects/objects' }

export interface RestoredFile extends StoredFile {
  /** In the backup, without the ending of an encrypted file. */
  path: string
}

/** Keys and objects of a backup. */
export const filesOf = (
  { source, manifest, identityFile }: BackupSource,
  files: readonly ListedFile[],
): RestoredFile[] =>
  files.map(({ path }) => ({
    path: plainPath(path, manifest),
    file: join(source, path),
    isEncrypted: isEncrypted(manifest),
    identityFile,
  }))

/**
 * Restores keys and objects into a new data folder; later files of a path replace earlier ones. They are owned by `owner`, or by the
 * calling account if omitted.
 */
export async function restoreFiles(
  files: readonly RestoredFile[],
  dataDir: string,
  owner: { uid: number; gid: number } | undefined,
): Promise<void> {
  const own = async (path: string) => owner && chown(path, owner.uid, owner.gid)
  for (const [from, to] of Object.entries(folders)) {
    const made = new Set<string>([join(dataDir, from)])
    const ownFolder = async (path: string): Promise<void> => {
      if (made.has(path)) return
      await ownFolder(dirname(path))
      // Folders that existed already keep their owner.
      if (await mkdir(path, { recursive: true, mode: 0o700 })) await own(path)
      made.add(path)
    }
    for (const file of files.filter(({ path }) => path.startsWith(`${from}/`))) {
      const target = join(dataDir, to, file.path.slice(from.length + 1))
      await ownFolder(dirname(target))
      await copy(file, target)
      await own(target)
    }
  }
}

async function copy(file: RestoredFile, target: string): Promise<void> {
  await rm(target, { force: true })
  if (!file.isEncrypted) return copyFile(file.file, target, constants.COPYFILE_EXCL)
  await pipeline([...plainContent(file), createWriteStream(target, { mode: 0o600, flags: 'wx' })])
}
