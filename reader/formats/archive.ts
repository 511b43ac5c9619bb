import { addAbortSignal, type Readable } from 'node:stream'
import { ArchiveRefused, onEntry, type SizeBound } from './archive-refused.ts'
import { ByteReader, bounded } from './byte-reader.ts'
import { type PathBounds, parseEntryPath, parseLinkTarget, refuseForeignPath } from './entry-path.ts'
import { type EntryKind, EntryTree, type TreeBounds } from './entry-tree.ts'
import { gunzip } from './gzip.ts'
import type { RawEntry } from './raw-entry.ts'
import { readTar } from './tar/tar-reader.ts'
import { readZip } from './zip/zip-reader.ts'

/*
 * Reads an untrusted build context.
 *
 * Nothing is unpacked here: entries are a stream of plain data, in constant memory (one chunk of
 * content and the set of paths), and `canonical-tar.ts` rewrites them in one dialect. The builder
 * never sees a byte of the original headers, so a difference between this parser and another tool's has no
 * effect. In return this parser refuses everything that is ambiguous:
 *
 *   bytes -> gzip.ts, inflate.ts       one member, nothing after it, a bound on the output
 *         -> tar-reader.ts, zip-reader.ts   headers that agree with each other and with the content
 *         -> readArchive (here)        paths inside, no path twice, nothing below a file or a link,
 *                                      files, directories and links that stay inside, hard links to files
 *                                      that came before, nothing else
 *
 * An archive is accepted only when the iteration ends without an error: a truncated end or a wrong checksum
 * is found last. A consumer must be able to discard what it made of earlier entries.
 * A refusal is an `ArchiveRefused`; an error of the source (storage) passes through unchanged.
 */

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz'

/** The bytes of an archive, with random access (zip reads its end first). */
export interface ArchiveSource {
  byteSize: number
  /** Opens `start` to `end` (inclusive), or everything. */
  open(range?: { start: number; end: number }): Readable | Promise<Readable>
}

export interface ArchiveBounds extends PathBounds, TreeBounds {
  /** Bytes of the tar stream, or of all contents of a zip. */
  maxUnpackedBytes: number
  /** Unpacked bytes per archive byte, from `ratioFloorBytes` on. */
  maxRatio: number
  ratioFloorBytes: number
  /** From the first byte to the last, including the consumer's time. */
  timeoutMs: number
}

/** Bounds of a build context (the archive itself is at most 1 GiB: contract, Limits). */
export const contextBounds: ArchiveBounds = {
  maxEntries: 100_000,
  maxNamesBytes: 16 * 1024 ** 2,
  maxPathBytes: 1024,
  maxDepth: 64,
  maxUnpackedBytes: 4 * 1024 ** 3,
  maxRatio: 200,
  ratioFloorBytes: 64 * 1024 ** 2,
  timeoutMs: 10 * 60_000,
}

export interface ArchiveEntry {
  /** Relative, `/` between segments, no `.` or `..`. */
  path: string
  kind: EntryKind | 'hard_link'
  /** 0o755 or 0o644 for files by their execute bits, 0o755 for directories, 0o777 for links; meaningless for hard links. */
  mode: number
  byteSize: number
  /** `file-time.ts`. Absent: unknown. */
  modifiedAt?: number
  /** Of a symlink: relative to its folder, and inside the tree. Of a hard link: the path of a file that came before. */
  linkTarget?: string
  /** Content of a file, to be read or skipped before the next entry. */
  body?: AsyncIterable<Buffer>
}

/** The entries of an archive. Throws `ArchiveRefused`. */
export async function* readArchive(
  source: ArchiveSource,
  format: ArchiveFormat,
  bounds: ArchiveBounds = contextBounds,
): AsyncGenerator<ArchiveEntry, void> {
  const signal = AbortSignal.timeout(bounds.timeoutMs)
  const tree = new EntryTree(bounds)
  try {
    for await (const raw of readFormat(source, format, bounds, signal)) {
      const entry = onEntry(raw.name, () => {
        const read = toEntry(raw, tree, bounds)
        // Archives that were appended to repeat the root and folders.
        if (read.path === '' || (read.kind === 'directory' && tree.hasFolder(read.path))) return undefined
        tree.add(read.path, read.kind === 'hard_link' ? 'file' : read.kind)
        return read
      })
      if (entry === undefined) continue
      yield entry
      if (signal.aborted) throw new ArchiveRefused('archive_timeout')
    }
  } catch (error) {
    throw signal.aborted ? new ArchiveRefused('archive_timeout') : error
  }
}

async function* readFormat(
  source: ArchiveSource,
  format: ArchiveFormat,
  bounds: ArchiveBounds,
  signal: AbortSignal,
): AsyncGenerator<RawEntry, void> {
  const ratioBytes = Math.max(bounds.ratioFloorBytes, bounds.maxRatio * source.byteSize)
  const size: SizeBound =
    ratioBytes < bounds.maxUnpackedBytes
      ? { maxBytes: ratioBytes, slug: 'archive_ratio' }
      : { maxBytes: bounds.maxUnpackedBytes, slug: 'archive_too_large' }
  if (format === 'zip') {
    const readRange = (start: number, end: number) => read(source, signal, { start, end })
    yield* readZip(readRange, source.byteSize, { ...bounds, size })
    return
  }
  const file = new ByteReader(read(source, signal))
  const unpacked = format === 'tar' ? file.stream(source.byteSize) : gunzip(file)
  const input = new ByteReader(bounded(unpacked, size))
  try {
    yield* readTar(input, 'all')
  } finally {
    await input.close()
    await file.close()
  }
}

async function* read(source: ArchiveSource, signal: AbortSignal, range?: { start: number; end: number }) {
  const stream = addAbortSignal(signal, await source.open(range))
  for await (const bytes of stream) yield bytes as Buffer
}

function toEntry(raw: RawEntry, tree: EntryTree, bounds: ArchiveBounds): ArchiveEntry {
  if (raw.kind === 'device') throw new ArchiveRefused('device_entry')
  const path = parseEntryPath(raw.name, raw.kind === 'directory' ? 'directory' : 'other', bounds)
  refuseForeignPath(path)
  const { modifiedAt } = raw
  if (raw.kind === 'directory') return { path, kind: 'directory', mode: 0o755, byteSize: 0, modifiedAt }
  if (raw.kind === 'symlink') {
    const linkTarget = parseLinkTarget(raw.linkName, path, bounds)
    return { path, kind: 'symlink', mode: 0o777, byteSize: 0, modifiedAt, linkTarget }
  }
  if (raw.kind === 'hard_link') {
    const linkTarget = parseEntryPath(raw.linkName, 'other', bounds)
    if (tree.kind(linkTarget) !== 'file') throw new ArchiveRefused('hard_link_target')
    return { path, kind: 'hard_link', mode: 0o644, byteSize: 0, linkTarget }
  }
  const mode = raw.mode & 0o111 ? 0o755 : 0o644
  return { path, kind: 'file', mode, byteSize: raw.byteSize, modifiedAt, body: raw.body }
}
