import { type ArchiveBounds, type ArchiveEntry, type ArchiveSource, readArchive } from './archive.ts'
import { ArchiveRefused } from './archive-refused.ts'

export type BundleFormat = 'zip' | 'tar.gz'

/** Rules for bundles, in addition to those for every archive. */
export interface BundleRules {
  bounds: ArchiveBounds
  maxFiles: number
  /** Names that are forbidden at the root. */
  reservedNames: readonly string[]
}

/** The entries of a bundle, as `readArchive` yields them; links count as files. Throws `ArchiveRefused`. */
export async function* readBundleEntries(
  source: ArchiveSource,
  format: BundleFormat,
  { bounds, maxFiles, reservedNames }: BundleRules,
): AsyncGenerator<ArchiveEntry, void> {
  let files = 0
  for await (const entry of readArchive(source, format, bounds)) {
    const [root = ''] = entry.path.split('/', 1)
    if (reservedNames.includes(root)) throw new ArchiveRefused('path_reserved')
    if (entry.kind !== 'directory') files += 1
    if (files > maxFiles) throw new ArchiveRefused('too_many_files')
    yield entry
  }
  if (files === 0) throw new ArchiveRefused('no_files')
}

/** Reads a bundle to its end, and returns the number of files. Throws `ArchiveRefused`. */
export async function countBundleEntries(entries: AsyncIterable<ArchiveEntry>): Promise<number> {
  let files = 0
  for await (const entry of entries) if (entry.kind !== 'directory') files += 1
  return files
}
