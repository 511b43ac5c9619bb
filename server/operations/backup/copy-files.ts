import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'
import { type BackupTarget, writeBackupFile } from './encryption/backup-files.ts'
import type { ListedFile } from './file-list.ts'

/** Paths of the regular files below `root`, relative to it. Links and other file types are skipped. */
export async function* filesBelow(root: string, folder = ''): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    // The folder was removed after its name was read.
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(root, path)
    else if (entry.isFile()) yield path
  }
}

export interface FileCopy extends BackupTarget {
  /** A folder in which the service can write. */
  root: string
  /** Path below `root`. */
  path: string
  /** Path below `target`. */
  name: string
}

/**
 * Copies one file from a folder that root does not own. The opened file must be at the path of its name, because the
 * folder's owner could replace a directory with a link in the meantime. Undefined if the file no longer exists.
 */
export async function copyOut({ root, path, name, ...target }: FileCopy): Promise<ListedFile | undefined> {
  const file = await openInside(root, path)
  if (!file) return undefined
  try {
    await mkdir(dirname(join(target.target, name)), { recursive: true, mode: 0o700 })
    return await writeBackupFile([file.createReadStream({ autoClose: false })], name, target)
  } finally {
    await file.close()
  }
}

/** Opens a file of a folder that root does not own. Undefined if it is not there, or is no regular file of that path. */
export async function openInside(root: string, path: string): Promise<FileHandle | undefined> {
  const real = await realpath(root)
  const expected = join(real, path)
  if (!expected.startsWith(`${real}/`)) return undefined
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(expected, flags).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ELOOP')) throw error
  })
  if (!file) return undefined
  if ((await isAt(file, expected)) && (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

/** Whether an open file still has the name by which it was opened. */
export const isStillInside = async (file: FileHandle, root: string, path: string): Promise<boolean> =>
  isAt(file, join(await realpath(root), path))

const isAt = async ({ fd }: FileHandle, path: string): Promise<boolean> =>
  (await readlink(`/proc/self/fd/${fd}`)) === path
