import { ArchiveRefused, onEntry } from './archive-refused.ts'
import { ByteReader, bounded } from './byte-reader.ts'
import { decodeName, type PathBounds, parseEntryPath, refuseWhiteout } from './entry-path.ts'
import { EntryTree, type TreeBounds } from './entry-tree.ts'
import type { RawEntry } from './raw-entry.ts'
import { readTar } from './tar-reader.ts'

/*
 * The check of a built image: one uncompressed tar, made by a build that ran a stranger's code, so as hostile as an
 * upload. It is read while it streams to storage (`reader/image-proof.ts`), and the same bytes are unpacked later by the
 * host agent, therefore the dialect is read as strictly as in an upload.
 *
 * An image may hold more than a context: links to anywhere (they are only ever resolved inside a sandbox), hard links
 * to files that came before, set-id bits (no new privileges in a sandbox), names with backslashes. It may not hold
 * devices, sockets, overlay whiteouts (as `.wh.` names or attributes), or anything that gets in the way of what the
 * platform mounts: the reserved folders are absent or real folders, those that belong to the kernel hold only folders.
 */

export interface FlatImageBounds extends PathBounds, TreeBounds {
  maxBytes: number
}

/**
 * The builder leaves out, without an error, what lies at a path longer than PATH_MAX (4096), the folder of its layer
 * (98 bytes) included. What is left of a deeper tree has a path longer than this, so it is refused instead of cut.
 */
const maxImagePathBytes = 4096 - 98 - 256

export const flatImageBounds: FlatImageBounds = {
  maxBytes: 10 * 1024 ** 3,
  maxEntries: 1_000_000,
  maxNamesBytes: 128 * 1024 ** 2,
  maxPathBytes: maxImagePathBytes,
  maxDepth: 256,
}

export interface FlatImageCounts {
  /** Of all file contents together. */
  unpackedBytes: number
  entries: number
}

/** Absent or real folders (contract decision D7). */
const reservedFolders = new Set(['dev', 'proc', 'sys', 'run', 'tmp', 'workspace'])
/** Hidden under the kernel's own file systems: content there would only mislead. */
const kernelFolder = /^(?:dev|proc|sys)\//
/** The platform's own. */
const platformPath = /^\.sandbox(?:\/|$)/
/** Attributes by which overlayfs hides or redirects. */
const overlayAttribute = /^(?:trusted\.|user\.overlay\.)/

/** Reads a flat image to its end. Throws `ArchiveRefused`. */
export async function checkFlatImage(
  chunks: AsyncIterable<Buffer>,
  bounds: FlatImageBounds = flatImageBounds,
): Promise<FlatImageCounts> {
  const input = new ByteReader(bounded(chunks, { maxBytes: bounds.maxBytes, slug: 'archive_too_large' }))
  const tree = new EntryTree(bounds)
  let unpackedBytes = 0
  let entries = 0
  for await (const raw of readTar(input)) {
    if (!onEntry(raw.name, () => addEntry(raw, tree, bounds))) continue
    unpackedBytes += raw.byteSize
    entries += 1
  }
  return { unpackedBytes, entries }
}

/** False for the root itself. */
function addEntry(raw: RawEntry, tree: EntryTree, bounds: FlatImageBounds): boolean {
  const path = parseEntryPath(raw.name, raw.kind === 'directory' ? 'directory' : 'other', bounds)
  if (path === '') return false
  checkEntry(raw, path, tree, bounds)
  tree.add(path, raw.kind === 'directory' || raw.kind === 'symlink' ? raw.kind : 'file')
  return true
}

function checkEntry(raw: RawEntry, path: string, tree: EntryTree, bounds: FlatImageBounds): void {
  if (raw.kind === 'device') throw new ArchiveRefused('device_entry')
  if (raw.attributeNames.some((name) => overlayAttribute.test(name))) {
    throw new ArchiveRefused('image_overlay_attribute')
  }
  refuseWhiteout(path)
  const isFolder = raw.kind === 'directory'
  const isReserved =
    platformPath.test(path) || (!isFolder && (reservedFolders.has(path) || kernelFolder.test(path)))
  if (isReserved) throw new ArchiveRefused('image_path_reserved')
  if (raw.kind === 'symlink') decodeName(raw.linkName, bounds.maxPathBytes)
  if (raw.kind === 'hard_link') {
    const target = parseEntryPath(raw.linkName, 'other', bounds)
    if (tree.kind(target) !== 'file') throw new ArchiveRefused('hard_link_target')
  }
}
