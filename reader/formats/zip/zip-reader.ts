import { crc32 } from 'node:zlib'
import { ArchiveRefused, type SizeBound } from '../archive-refused.ts'
import { ByteReader } from '../byte-reader.ts'
import { inflate, inflateWhole } from '../inflate.ts'
import { EntryBody, emptyBody, type RawEntry } from '../raw-entry.ts'
import {
  type CentralEntry,
  checkExtraFields,
  flag,
  maxTailBytes,
  parseZipDirectory,
  parseZipEnd,
} from './zip-directory.ts'
import { mask32, uint64, widened } from './zip64.ts'

const LOCAL_BYTES = 30
const LOCAL_SIGNATURE = 0x04034b50
const DESCRIPTOR_SIGNATURE = 0x08074b50
/** Files up to this size are inflated in one piece. */
const SMALL_BYTES = 64 * 1024
const FILE_TYPE = 0o170000

export interface ZipBounds {
  maxEntries: number
  maxNamesBytes: number
  maxPathBytes: number
  /** Bound on the declared sizes of all entries together. The content has to match its declared size. */
  size: SizeBound
}

/** Bytes `start` to `end` (inclusive) of the archive. */
export type ReadRange = (start: number, end: number) => AsyncIterable<Buffer>

/**
 * Reads a zip. First the central directory at the end, then the file once from start to end.
 * It has to consist of exactly the listed entries without overlap or gap, each with a matching local header and
 * exactly the declared compressed bytes, size and checksum. Features that not all tools support are refused:
 * encryption, split archives, second end records, bytes before or between entries.
 */
export async function* readZip(
  readRange: ReadRange,
  archiveBytes: number,
  bounds: ZipBounds,
): AsyncGenerator<RawEntry, void> {
  if (archiveBytes === 0) throw new ArchiveRefused('archive_truncated')
  const tailBytes = Math.min(maxTailBytes, archiveBytes)
  const end = parseZipEnd(await collect(readRange, archiveBytes - tailBytes, tailBytes), archiveBytes)
  if (end.entryCount > bounds.maxEntries) throw new ArchiveRefused('archive_too_many_entries')
  // Fixed fields and names, and as much again for extra fields and comments.
  if (end.directoryBytes > 2 * (bounds.maxNamesBytes + end.entryCount * 64)) {
    throw new ArchiveRefused('archive_names_too_large')
  }
  const directory = await collect(readRange, end.directoryOffset, end.directoryBytes)
  const entries = parseZipDirectory(directory, end.entryCount)
  const declaredBytes = entries.reduce((sum, { byteSize }) => sum + byteSize, 0)
  if (declaredBytes > bounds.size.maxBytes) throw new ArchiveRefused(bounds.size.slug)

  if (end.directoryOffset === 0) return
  const input = new ByteReader(readRange(0, end.directoryOffset - 1))
  try {
    for (const entry of entries) yield* readEntry(input, entry, bounds)
    if (input.offset !== end.directoryOffset) throw new ArchiveRefused('entries_overlap_or_gap')
  } finally {
    await input.close()
  }
}

async function* readEntry(
  input: ByteReader,
  entry: CentralEntry,
  bounds: ZipBounds,
): AsyncGenerator<RawEntry, void> {
  if (input.offset !== entry.localOffset) throw new ArchiveRefused('entries_overlap_or_gap')
  const isWide = await checkLocalHeader(input, entry)
  const { kind, mode } = kindOf(entry)
  const { name, modifiedAt } = entry
  const content = checkedContent(input, entry)
  if (kind === 'symlink') {
    if (entry.byteSize > bounds.maxPathBytes) throw new ArchiveRefused('path_too_long')
    const linkName = await concat(content)
    yield { kind, name, linkName, mode, modifiedAt, byteSize: 0, attributeNames: [], body: emptyBody() }
  } else {
    const body = new EntryBody(content)
    yield {
      kind,
      name,
      linkName: Buffer.alloc(0),
      mode,
      modifiedAt,
      byteSize: entry.byteSize,
      attributeNames: [],
      body,
    }
    await body.drain()
  }
  if (entry.flags & flag.dataDescriptor) await checkDescriptor(input, entry, isWide)
}

/** Returns whether sizes after the content have 64 bits: if there is a zip64 field here (APPNOTE 4.3.9.2). */
async function checkLocalHeader(input: ByteReader, entry: CentralEntry): Promise<boolean> {
  const header = await input.exactly(LOCAL_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new ArchiveRefused('header_disagrees')
  const name = await input.exactly(header.readUInt16LE(26))
  const zip64 = checkExtraFields(await input.exactly(header.readUInt16LE(28)), name)
  const narrow = [header.readUInt32LE(22), header.readUInt32LE(18)]
  // A local header has both sizes in the zip64 field, or none.
  if (narrow.includes(mask32) && !narrow.every((size) => size === mask32)) {
    throw new ArchiveRefused('header_disagrees')
  }
  const found = [header.readUInt32LE(14), ...widened(zip64, narrow)]
  const central = [entry.crc, entry.byteSize, entry.compressedBytes]
  const isLater = (entry.flags & flag.dataDescriptor) !== 0
  const agrees =
    header.readUInt16LE(6) === entry.flags &&
    header.readUInt16LE(8) === entry.method &&
    name.equals(entry.name) &&
    found.every((value, index) => value === central[index] || (isLater && value === 0))
  if (!agrees) throw new ArchiveRefused('header_disagrees')
  return zip64 !== undefined
}

/** Checks checksum and sizes after the content, with or without a signature. */
async function checkDescriptor(input: ByteReader, entry: CentralEntry, isWide: boolean): Promise<void> {
  const first = await input.exactly(4)
  const isSigned = first.readUInt32LE(0) === DESCRIPTOR_SIGNATURE && entry.crc !== DESCRIPTOR_SIGNATURE
  const crc = isSigned ? await input.exactly(4) : first
  const sizes = await input.exactly(isWide ? 16 : 8)
  const compressedBytes = isWide ? uint64(sizes, 0) : sizes.readUInt32LE(0)
  const byteSize = isWide ? uint64(sizes, 8) : sizes.readUInt32LE(4)
  const agrees =
    crc.readUInt32LE(0) === entry.crc &&
    compressedBytes === entry.compressedBytes &&
    byteSize === entry.byteSize
  if (!agrees) throw new ArchiveRefused('header_disagrees')
}

/** The content, checked against the declared compressed bytes, size and checksum. */
async function* checkedContent(input: ByteReader, entry: CentralEntry): AsyncGenerator<Buffer, void> {
  const start = input.offset
  let crc = 0
  let byteSize = 0
  for await (const bytes of contentOf(input, entry)) {
    crc = crc32(bytes, crc)
    byteSize += bytes.length
    if (byteSize > entry.byteSize) throw new ArchiveRefused('header_disagrees')
    yield bytes
  }
  const agrees =
    byteSize === entry.byteSize && crc === entry.crc && input.offset - start === entry.compressedBytes
  if (!agrees) throw new ArchiveRefused('header_disagrees')
}

async function* contentOf(input: ByteReader, entry: CentralEntry): AsyncGenerator<Buffer, void> {
  const { method, compressedBytes, byteSize } = entry
  if (method === 0) yield* input.stream(compressedBytes)
  else if (compressedBytes > SMALL_BYTES || byteSize > SMALL_BYTES) yield* inflate(input, compressedBytes)
  else yield inflateWhole(await input.exactly(compressedBytes), byteSize)
}

/** The name decides whether an entry is a directory, and its attributes have to agree. */
function kindOf(entry: CentralEntry): { kind: RawEntry['kind']; mode: number } {
  const isDirectoryByName = entry.name.at(-1) === 0x2f
  const fileType = entry.unixMode === undefined ? 0 : entry.unixMode & FILE_TYPE
  const kind = kindOfType(fileType, isDirectoryByName)
  const isConsistent =
    isDirectoryByName === (kind === 'directory') &&
    (isDirectoryByName || !entry.isDosDirectory) &&
    (kind !== 'directory' || entry.byteSize === 0)
  if (!isConsistent) throw new ArchiveRefused('header_disagrees')
  return { kind, mode: (entry.unixMode ?? 0o644) & 0o7777 }
}

function kindOfType(fileType: number, isDirectoryByName: boolean): RawEntry['kind'] {
  switch (fileType) {
    case 0:
      return isDirectoryByName ? 'directory' : 'file'
    case 0o100000:
      return 'file'
    case 0o040000:
      return 'directory'
    case 0o120000:
      return 'symlink'
    default:
      return 'device'
  }
}

async function collect(readRange: ReadRange, start: number, byteSize: number): Promise<Buffer> {
  if (byteSize === 0) return Buffer.alloc(0)
  const input = new ByteReader(readRange(start, start + byteSize - 1))
  const bytes = await input.exactly(byteSize)
  await input.close()
  return bytes
}

async function concat(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts)
}
