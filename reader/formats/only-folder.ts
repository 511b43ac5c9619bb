import type { ArchiveBounds, ArchiveEntry } from './archive.ts'
import { ArchiveRefused, onEntry } from './archive-refused.ts'
import { parseLinkTarget } from './entry-path.ts'

/*
 * Archives of a folder instead of what is in it, as file managers pack a folder and code hosts pack a repository. Such a
 * folder is taken as the root of the archive.
 */

/** The folder that macOS adds beside the folder that it packs. */
const addedByMacOs = '__MACOSX'

/** The folder that is all there is at the top; undefined if there is something else. */
export function onlyFolder(topNames: Iterable<string>): string | undefined {
  const [folder, ...others] = [...topNames].filter((name) => name !== addedByMacOs)
  return others.length === 0 ? folder : undefined
}

/** The entries in a folder, with their paths in it. Refuses links that leave it. */
export async function* entriesIn(
  folder: string,
  entries: AsyncIterable<ArchiveEntry>,
  bounds: ArchiveBounds,
): AsyncGenerator<ArchiveEntry, void> {
  const pathIn = (path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined)
  for await (const entry of entries) {
    const path = pathIn(entry.path)
    if (path === undefined) continue
    const { kind, linkTarget = '' } = entry
    if (kind === 'symlink')
      onEntry(Buffer.from(entry.path), () => parseLinkTarget(Buffer.from(linkTarget), path, bounds))
    if (kind !== 'hard_link') {
      yield { ...entry, path }
      continue
    }
    const target = pathIn(linkTarget)
    if (target === undefined) throw new ArchiveRefused('hard_link_target')
    yield { ...entry, path, linkTarget: target }
  }
}
