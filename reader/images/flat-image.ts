import { ArchiveRefused, onEntry } from '../formats/archive-refused.ts'
import { ByteReader, bounded } from '../formats/byte-reader.ts'
import { decodeName, type PathBounds, parseEntryPath, refuseWhiteout } from '../formats/entry-path.ts'
import { type EntryKind, EntryTree, type TreeBounds } from '../formats/entry-tree.ts'
import type { RawEntry } from '../formats/raw-entry.ts'
import { readTar } from '../formats/tar/tar-reader.ts'

/*
 * Checks a built image: one uncompressed tar, made by a build that ran untrusted code, so as hostile as an
 * upload. It is read while it streams to storage (`reader/image-verifier.ts`). The host agent later unpacks the same bytes,
 * so the dialect is parsed as strictly as in an upload.
 *
 * An image may contain more than a context: links to anywhere (they are only resolved inside a sandbox), hard links
 * to earlier files and symlinks, set-id bits (no new privileges in a sandbox), names with backslashes. It may not contain
 * devices, sockets, overlay whiteouts (as `.wh.` names or attributes), or anything at the platform's mount
 * points: the reserved folders are absent or real folders, and those of the kernel contain only folders.
 */

export interface FlatImageBounds extends PathBounds, TreeBounds {
  maxBytes: number
}

/**
 * The builder omits, without an error, files whose path exceeds PATH_MAX (4096), including the folder of its layer
 * (98 bytes). The rest of such a deep tree has a path longer than this bound, so the image is refused and not truncated.
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
  /** Bytes of all file contents together. */
  unpackedBytes: number
  entries: number
}

/** Absent or real folders (contract decision D7). */
const reservedFolders = new Set(['dev', 'proc', 'sys', 'run', 'tmp', 'workspace'])
/** The kernel's file systems hide these, so content there would mislead. */
const kernelFolder = /^(?:dev|proc|sys)\//
/** Reserved for the platform. */
const platformPath = /^\.sandbox(?:\/|$)/
/** Whether the platform's own files, or the kernel's file systems, lie at the path. */
export const isOfPlatform = (path: string): boolean => platformPath.test(path)
export const isOfKernel = (path: string): boolean => kernelFolder.test(path)

/** Attributes with which overlayfs hides or redirects files. */
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

/** Returns false for the root. */
function addEntry(raw: RawEntry, tree: EntryTree, bounds: FlatImageBounds): boolean {
  const path = parseEntryPath(raw.name, raw.kind === 'directory' ? 'directory' : 'other', bounds)
  if (path === '') return false
  addImageEntry(raw, path, tree, bounds)
  return true
}

/** Checks an entry at `path`, other than a whiteout, and records it. */
export function addImageEntry(raw: RawEntry, path: string, tree: EntryTree, bounds: FlatImageBounds): void {
  if (raw.kind === 'device') throw new ArchiveRefused('device_entry')
  if (raw.attributeNames.some((name) => overlayAttribute.test(name))) {
    throw new ArchiveRefused('image_overlay_attribute')
  }
  refuseWhiteout(path)
  const isFolder = raw.kind === 'directory'
  const isReserved = isOfPlatform(path) || (!isFolder && (reservedFolders.has(path) || isOfKernel(path)))
  if (isReserved) throw new ArchiveRefused('image_path_reserved')
  if (raw.kind === 'symlink') decodeName(raw.linkName, bounds.maxPathBytes)
  tree.add(path, kindOf(raw, tree, bounds))
}

/** A hard link is of the kind of its target, so nothing is below one to a symlink either. */
function kindOf({ kind, linkName }: RawEntry, tree: EntryTree, bounds: FlatImageBounds): EntryKind {
  if (kind === 'directory' || kind === 'symlink') return kind
  if (kind !== 'hard_link') return 'file'
  const target = tree.kind(parseEntryPath(linkName, 'other', bounds))
  if (target === undefined || target === 'directory') throw new ArchiveRefused('hard_link_target')
  return target
}
