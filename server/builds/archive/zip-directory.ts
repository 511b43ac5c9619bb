import { crc32 } from 'node:zlib'
import { ArchiveRefused } from './archive-refused.ts'

const END_BYTES = 22
const CENTRAL_BYTES = 46
const MAX_COMMENT_BYTES = 0xffff
const END_SIGNATURE = Buffer.from('PK\u0005\u0006', 'latin1')
const ZIP64_LOCATOR = Buffer.from('PK\u0006\u0007', 'latin1')
/** Of the format, that a reader has to know: the last one there is. */
const MAX_VERSION = 63
const CENTRAL_SIGNATURE = 0x02014b50

export const flag = { encrypted: 1, dataDescriptor: 8, strongEncryption: 0x40, maskedHeader: 0x2000 } as const
/** Compression effort (bits 1 and 2), data descriptor, UTF-8 names: all else changes how content is read. */
const knownFlags = 0x0006 | flag.dataDescriptor | 0x0800

/** Bytes at a zip's end that are enough to find its directory. */
export const maxTailBytes = END_BYTES + MAX_COMMENT_BYTES

export interface ZipEnd {
  entryCount: number
  directoryOffset: number
  directoryBytes: number
}

/** One record of the central directory. */
export interface CentralEntry {
  name: Buffer
  flags: number
  method: number
  crc: number
  compressedBytes: number
  byteSize: number
  /** Unix mode with its file type, when a Unix archiver made the entry. */
  unixMode: number | undefined
  isDosDirectory: boolean
  localOffset: number
}

/**
 * Finds the end record in the archive's last bytes. It has to be the only one, its comment has to reach the
 * end exactly, and the directory has to end where it begins: so there is one way to read the file.
 */
export function parseZipEnd(tail: Buffer, archiveBytes: number): ZipEnd {
  const at = tail.lastIndexOf(END_SIGNATURE)
  if (at === -1) throw new ArchiveRefused('archive_format')
  if (tail.length - at < END_BYTES) throw new ArchiveRefused('archive_truncated')
  const isLast = at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length
  if (!isLast) throw new ArchiveRefused('trailing_data')
  if (at >= 20 && tail.subarray(at - 20, at - 16).equals(ZIP64_LOCATOR))
    throw new ArchiveRefused('zip64_unsupported')
  const end = {
    entryCount: tail.readUInt16LE(at + 10),
    directoryBytes: tail.readUInt32LE(at + 12),
    directoryOffset: tail.readUInt32LE(at + 16),
  }
  if (end.entryCount === 0xffff || end.directoryOffset === 0xffffffff || end.directoryBytes === 0xffffffff) {
    throw new ArchiveRefused('zip64_unsupported')
  }
  const isOneDisk = tail.readUInt32LE(at + 4) === 0 && tail.readUInt16LE(at + 8) === end.entryCount
  if (!isOneDisk) throw new ArchiveRefused('zip_feature_unsupported')
  if (end.directoryOffset + end.directoryBytes !== archiveBytes - tail.length + at) {
    throw new ArchiveRefused('entries_overlap_or_gap')
  }
  return end
}

/** All records, in the order of their content in the file. */
export function parseZipDirectory(directory: Buffer, entryCount: number): CentralEntry[] {
  const entries: CentralEntry[] = []
  let at = 0
  while (at < directory.length) {
    if (directory.length - at < CENTRAL_BYTES) throw new ArchiveRefused('header_disagrees')
    const record = directory.subarray(at)
    if (record.readUInt32LE(0) !== CENTRAL_SIGNATURE) throw new ArchiveRefused('header_disagrees')
    const nameEnd = CENTRAL_BYTES + record.readUInt16LE(28)
    const extraEnd = nameEnd + record.readUInt16LE(30)
    const recordBytes = extraEnd + record.readUInt16LE(32)
    if (recordBytes > record.length) throw new ArchiveRefused('header_disagrees')
    const name = record.subarray(CENTRAL_BYTES, nameEnd)
    checkExtraFields(record.subarray(nameEnd, extraEnd), name)
    entries.push(parseCentralEntry(record, name))
    at += recordBytes
  }
  if (entries.length !== entryCount) throw new ArchiveRefused('header_disagrees')
  return entries.sort((a, b) => a.localOffset - b.localOffset)
}

function parseCentralEntry(record: Buffer, name: Buffer): CentralEntry {
  const host = record.readUInt8(5)
  const attributes = record.readUInt32LE(38)
  const isUnix = host === 3 || host === 19
  const entry: CentralEntry = {
    name,
    flags: record.readUInt16LE(8),
    method: record.readUInt16LE(10),
    crc: record.readUInt32LE(16),
    compressedBytes: record.readUInt32LE(20),
    byteSize: record.readUInt32LE(24),
    unixMode: isUnix ? attributes >>> 16 : undefined,
    isDosDirectory: (attributes & 0x10) !== 0,
    localOffset: record.readUInt32LE(42),
  }
  const isEncrypted = entry.flags & (flag.encrypted | flag.strongEncryption | flag.maskedHeader)
  if (isEncrypted) throw new ArchiveRefused('encrypted_entry')
  if (entry.flags & ~knownFlags) throw new ArchiveRefused('zip_feature_unsupported')
  if (record.readUInt8(6) > MAX_VERSION) throw new ArchiveRefused('zip_feature_unsupported')
  if (entry.method !== 0 && entry.method !== 8) throw new ArchiveRefused('zip_feature_unsupported')
  if (record.readUInt16LE(34) !== 0) throw new ArchiveRefused('zip_feature_unsupported')
  const isZip64 = [entry.compressedBytes, entry.byteSize, entry.localOffset].includes(0xffffffff)
  if (isZip64) throw new ArchiveRefused('zip64_unsupported')
  if (entry.method === 0 && entry.compressedBytes !== entry.byteSize)
    throw new ArchiveRefused('header_disagrees')
  return entry
}

const ZIP64_EXTRA = 0x0001
const UNICODE_PATH_EXTRA = 0x7075

/** Refuses extra fields that give some readers another size or another name, and ones that do not parse. */
export function checkExtraFields(extra: Buffer, name: Buffer): void {
  let at = 0
  while (at < extra.length) {
    if (extra.length - at < 4) throw new ArchiveRefused('header_disagrees')
    const id = extra.readUInt16LE(at)
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (end > extra.length) throw new ArchiveRefused('header_disagrees')
    if (id === ZIP64_EXTRA) throw new ArchiveRefused('zip64_unsupported')
    if (id === UNICODE_PATH_EXTRA) checkUnicodePath(extra.subarray(at + 4, end), name)
    at = end
  }
}

/** Version, CRC-32 of the plain name, the name in UTF-8. */
function checkUnicodePath(field: Buffer, name: Buffer): void {
  const isSame =
    field.length >= 5 &&
    field[0] === 1 &&
    field.readUInt32LE(1) === crc32(name) &&
    field.subarray(5).equals(name)
  if (!isSame) throw new ArchiveRefused('header_disagrees')
}
