import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { PackReader, type Packs } from '../trees/pack-reader.ts'
import type { Tree } from '../trees/tree.ts'

/*
 * The files of a session as a run gets them. The archive is unpacked in the sandbox by the user of the job, so folders that this
 * user could not fill are closed after all files.
 */

const openMode = 0o700

/** The entries of an archive with the files below `folder`. */
export async function* sessionEntries(
  storage: Packs,
  { companyId, tree, folder }: { companyId: string; tree: Tree; folder: string },
): AsyncGenerator<ArchiveEntry, void> {
  const packs = new PackReader(storage, companyId)
  // Thousands of folders, links and empty files wait for no disk.
  const slice = slicesOf(companyId)
  const folderOf = (path: string, mode: number): ArchiveEntry => ({
    path,
    kind: 'directory',
    mode,
    byteSize: 0,
  })
  const closed: ArchiveEntry[] = []
  try {
    yield folderOf(folder, 0o755)
    for (const entry of tree.values()) {
      if (slice.isOver) await slice.next()
      const path = `${folder}/${entry.path}`
      if (entry.kind === 'link')
        yield { path, kind: 'symlink', mode: 0o777, byteSize: 0, linkTarget: entry.target }
      else if (entry.kind === 'folder') {
        yield folderOf(path, entry.mode | openMode)
        if ((entry.mode & openMode) !== openMode) closed.push(folderOf(path, entry.mode))
      } else {
        const { mode, byteSize, modifiedAt } = entry
        yield { path, kind: 'file', mode, byteSize, modifiedAt, body: packs.bytesOf(entry) }
      }
    }
    yield* closed.reverse()
  } finally {
    await packs.close()
  }
}
