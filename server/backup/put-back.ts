import { chown, copyFile, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ListedFile } from './file-list.ts'

/** Folders of a data folder that files come back to, by their folder in a backup. */
const places = { keys: 'keys', objects: 'objects/objects' }

/** Puts keys and objects back into a data folder that was just made; they get the owner that it gave to their folder. */
export async function putBack(source: string, dataDir: string, files: readonly ListedFile[]): Promise<void> {
  for (const [from, to] of Object.entries(places)) {
    const { uid, gid } = await stat(join(dataDir, from))
    const made = new Set<string>([join(dataDir, from)])
    const ownFolder = async (path: string): Promise<void> => {
      if (made.has(path)) return
      await ownFolder(dirname(path))
      await mkdir(path, { recursive: true, mode: 0o700 })
      await chown(path, uid, gid)
      made.add(path)
    }
    for (const { path } of files.filter((file) => file.path.startsWith(`${from}/`))) {
      const target = join(dataDir, to, path.slice(from.length + 1))
      await ownFolder(dirname(target))
      await copyFile(join(source, path), target)
      await chown(target, uid, gid)
    }
  }
}
