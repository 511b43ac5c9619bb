import { chown, copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ListedFile } from './file-list.ts'

/** Target folder in the data folder for each folder of a backup. */
const folders = { keys: 'keys', objects: 'objects/objects' }

/**
 * Restores keys and objects into a new data folder. They are owned by `owner`, or by the calling account if omitted.
 */
export async function restoreFiles(
  source: string,
  dataDir: string,
  files: readonly ListedFile[],
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
    for (const { path } of files.filter((file) => file.path.startsWith(`${from}/`))) {
      const target = join(dataDir, to, path.slice(from.length + 1))
      await ownFolder(dirname(target))
      await copyFile(join(source, path), target)
      await own(target)
    }
  }
}
