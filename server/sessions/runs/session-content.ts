import type { KnownContent } from '../../../agent/port/known-contents.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { PackReader, type Packs } from '../trees/pack-reader.ts'
import { filesByDigest, type Tree } from '../trees/tree.ts'

/*
 * The files of a session as a run gets them. The archive is unpacked in the sandbox by the user of the job, so its folders are
 * open while they are filled. They get their modes and times after all files.
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
  const filled: ArchiveEntry[] = []
  try {
    yield { path: folder, kind: 'directory', mode: 0o755, byteSize: 0 }
    for (const entry of tree.values()) {
      if (slice.isOver) await slice.next()
      const path = `${folder}/${entry.path}`
      if (entry.kind === 'link')
        yield { path, kind: 'symlink', mode: 0o777, byteSize: 0, linkTarget: entry.target }
      else if (entry.kind === 'folder') {
        const { mode, modifiedAt } = entry
        const made: ArchiveEntry = { path, kind: 'directory', mode, byteSize: 0, modifiedAt }
        yield { ...made, mode: mode | openMode }
        filled.push(made)
      } else {
        const { mode, byteSize, modifiedAt } = entry
        yield { path, kind: 'file', mode, byteSize, modifiedAt, body: packs.bytesOf(entry) }
      }
    }
    for (const made of filled.reverse()) {
      if (slice.isOver) await slice.next()
      yield made
    }
  } finally {
    await packs.close()
  }
}

/** The contents of the files of a session: where a run leaves one of them, its bytes are not collected again. */
export const knownContents = (tree: Tree): KnownContent[] =>
  [...filesByDigest(tree).values()].map(({ byteSize, digest }) => ({ byteSize, digest }))
