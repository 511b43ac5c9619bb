import { ArchiveRefused, onEntry } from '../formats/archive-refused.ts'
import { ByteReader, bounded } from '../formats/byte-reader.ts'
import { parseEntryPath } from '../formats/entry-path.ts'
import { EntryTree } from '../formats/entry-tree.ts'
import type { RawEntry } from '../formats/raw-entry.ts'
import { readTar } from '../formats/tar/tar-reader.ts'
import {
  addImageEntry,
  type FlatImageBounds,
  type FlatImageCounts,
  isOfKernel,
  isOfPlatform,
} from './flat-image.ts'

/*
 * Checks a layer above a base image, as hostile as a whole image (`flat-image.ts`), by the same rules and these:
 *
 *   whiteouts   an empty file `.wh.NAME` hides NAME of the layers below, and nothing of its own layer. That is the only form:
 *               there are no opaque folders, so each hidden name is written down
 *   folders     every entry comes after an entry of its folder, so that a layer never changes a folder that it does not name
 *   hard links  lead to earlier files and symlinks of the same layer
 *
 * So the tree of an image is decided by each layer alone: a name is in the highest layer that has or hides it or, as something
 * other than a folder, a folder above it.
 */

const whiteoutPrefix = '.wh.'

/** The path that a whiteout at `path` hides; undefined for any other entry. Throws `ArchiveRefused` for a name that hides nothing. */
export function hiddenBy(path: string): string | undefined {
  const start = path.lastIndexOf('/') + 1
  if (!path.startsWith(whiteoutPrefix, start)) return undefined
  const name = path.slice(start + whiteoutPrefix.length)
  if (name === '' || name === '.' || name === '..' || name.startsWith(whiteoutPrefix)) {
    throw new ArchiveRefused('image_whiteout')
  }
  return path.slice(0, start) + name
}

/** Reads a layer to its end. Throws `ArchiveRefused`. */
export async function checkImageLayer(
  chunks: AsyncIterable<Buffer>,
  bounds: FlatImageBounds,
): Promise<FlatImageCounts> {
  const input = new ByteReader(bounded(chunks, { maxBytes: bounds.maxBytes, slug: 'archive_too_large' }))
  const layer = { tree: new EntryTree(bounds), hidden: new Set<string>() }
  const counts = { unpackedBytes: 0, entries: 0 }
  for await (const raw of readTar(input)) {
    if (!onEntry(raw.name, () => addEntry(raw, layer, bounds))) continue
    counts.unpackedBytes += raw.byteSize
    counts.entries += 1
  }
  return counts
}

interface LayerRead {
  tree: EntryTree
  /** The paths of whiteouts, which are files in the tree. */
  hidden: Set<string>
}

/** Returns false for the root. */
function addEntry(raw: RawEntry, { tree, hidden }: LayerRead, bounds: FlatImageBounds): boolean {
  const path = parseEntryPath(raw.name, raw.kind === 'directory' ? 'directory' : 'other', bounds)
  if (path === '') return false
  const slash = path.lastIndexOf('/')
  if (slash !== -1 && !tree.hasFolder(path.slice(0, slash))) throw new ArchiveRefused('layer_folder_missing')
  const covered = hiddenBy(path)
  if (covered !== undefined) {
    checkWhiteout(raw, covered)
    hidden.add(covered)
    tree.add(covered, 'file')
    return true
  }
  if (raw.kind === 'hard_link' && hidden.has(parseEntryPath(raw.linkName, 'other', bounds))) {
    throw new ArchiveRefused('hard_link_target')
  }
  addImageEntry(raw, path, tree, bounds)
  return true
}

function checkWhiteout({ kind, byteSize, attributeNames }: RawEntry, covered: string): void {
  if (kind !== 'file' || byteSize > 0 || attributeNames.length > 0) throw new ArchiveRefused('image_whiteout')
  if (isOfPlatform(covered) || isOfKernel(covered)) throw new ArchiveRefused('image_path_reserved')
}
