import { crc32 } from 'node:zlib'
import { ArchiveRefused } from '../archive-refused.ts'
import { dosTimeOf, unixTimeIn } from './zip-times.ts'
import {
  mask16,
  mask32,
  parseZip64End,
  widened,
  ZIP64_EXTRA,
  type ZipTotals,
  zip64EndBytes,
} from './zip64.ts'

const END_BYTES = 22
const CENTRAL_BYTES = 46
const MAX_COMMENT_BYTES = 0xffff
const END_SIGNATURE = Buffer.from('PK\u0005\u0006', 'latin1')
/** The latest version of the format. */
const MAX_VERSION = 63
const CENTRAL_SIGNATURE = 0x02014b50

export const flag = { encrypted: 1, dataDescriptor: 8, strongEncryption: 0x40, maskedHeader: 0x2000 } as const
/** Compression level (bits 1 and 2), data descriptor, UTF-8 names. All other flags change how content is read. */
const knownFlags = 0x0006 | flag.dataDescriptor | 0x0800

/** Bytes at the end of a zip that are enough to find its directory. */
export const maxTailBytes = zip64EndBytes + END_BYTES + MAX_COMMENT_BYTES

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
  /** `../file-time.ts`. */
  modifiedAt: number
  localOffset: number
}

/**
 * Finds the end record in the archive's last bytes. It has to be the only one, its comment has to reach the
 * end exactly, and the directory has to end where the record starts, so that the file is not ambiguous.
 */
export function parseZipEnd(tail: Buffer, archiveBytes: number): ZipTotals {
  const at = tail.lastIndexOf(END_SIGNATURE)
  if (at === -1) throw new ArchiveRefused('archive_format')
  if (tail.length - at < END_BYTES) throw new ArchiveRefused('archive_truncated')
  const isLast = at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length
  if (!isLast) throw new ArchiveRefused('trailing_data')
  const narrow = {
    entryCount: tail.readUInt16LE(at + 10),
    directoryBytes: tail.readUInt32LE(at + 12),
    directoryOffset: tail.readUInt32LE(at + 16),
  }
  const isOneDisk = tail.readUInt32LE(at + 4) === 0 && tail.readUInt16LE(at + 8) === narrow.entryCount
  if (!isOneDisk) throw new ArchiveRefused('zip_feature_unsupported')
  const tailOffset = archiveBytes - tail.length
  const wideAt = Math.max(0, at - zip64EndBytes)
  const wide = parseZip64End(tail.subarray(wideAt, at), tailOffset + wideAt)
  const end = totalsOf(narrow, wide)
  const directoryEnd = tailOffset + (wide ? wideAt : at)
  if (end.directoryOffset + end.directoryBytes !== directoryEnd) {
    throw new ArchiveRefused('entries_overlap_or_gap')
  }
  return end
}

/** Refuses a mask without the extension: some parsers read it as a value, others look for the extension. */
function totalsOf(narrow: ZipTotals, wide: ZipTotals | undefined): ZipTotals {
  const totals = wide ?? narrow
  const agrees = (key: keyof ZipTotals, mask: number) =>
    narrow[key] === mask ? wide !== undefined : narrow[key] === totals[key]
  if (
    !agrees('entryCount', mask16) ||
    !agrees('directoryBytes', mask32) ||
    !agrees('directoryOffset', mask32)
  )
    throw new ArchiveRefused('header_disagrees')
  return totals
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
    const extra = record.subarray(nameEnd, extraEnd)
    const zip64 = checkExtraFields(extra, name)
    const modifiedAt = unixTimeIn(extra) ?? dosTimeOf(record.readUInt32LE(12))
    entries.push({ ...parseCentralEntry(record, name, zip64), modifiedAt })
    at += recordBytes
  }
  if (entries.length !== entryCount) throw new ArchiveRefused('header_disagrees')
  return entries.sort((a, b) => a.localOffset - b.localOffset)
}

function parseCentralEntry(
  record: Buffer,
  name: Buffer,
  zip64: Buffer | undefined,
): Omit<CentralEntry, 'modifiedAt'> {
  const host = record.readUInt8(5)
  const attributes = record.readUInt32LE(38)
  const isUnix = host === 3 || host === 19
  const narrow = [record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)]
  const [byteSize = 0, compressedBytes = 0, localOffset = 0] = widened(zip64, narrow)
  const entry = {
    name,
    flags: record.readUInt16LE(8),
    method: record.readUInt16LE(10),
    crc: record.readUInt32LE(16),
    compressedBytes,
    byteSize,
    unixMode: isUnix ? attributes >>> 16 : undefined,
    isDosDirectory: (attributes & 0x10) !== 0,
    localOffset,
  }
  const isEncrypted = entry.flags & (flag.encrypted | flag.strongEncryption | flag.maskedHeader)
  if (isEncrypted) throw new ArchiveRefused('encrypted_entry')
  if (entry.flags & ~knownFlags) throw new ArchiveRefused('zip_feature_unsupported')
  if (record.readUInt8(6) > MAX_VERSION) throw new ArchiveRefused('zip_feature_unsupported')
  if (entry.method !== 0 && entry.method !== 8) throw new ArchiveRefused('zip_feature_unsupported')
  if (record.readUInt16LE(34) !== 0) throw new ArchiveRefused('zip_feature_unsupported')
  if (entry.method === 0 && entry.compressedBytes !== entry.byteSize)
    throw new ArchiveRefused('header_disagrees')
  return entry
}

const UNICODE_PATH_EXTRA = 0x7075

/**
 * Refuses extra fields that give some parsers another name, and malformed ones. Returns the content of the
 * zip64 field, if there is one.
 */
export function checkExtraFields(extra: Buffer, name: Buffer): Buffer | undefined {
  let zip64: Buffer | undefined
  let at = 0
  while (at < extra.length) {
    if (extra.length - at < 4) throw new ArchiveRefused('header_disagrees')
    const id = extra.readUInt16LE(at)
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (end > extra.length) throw new ArchiveRefused('header_disagrees')
    if (id === ZIP64_EXTRA) {
      if (zip64) throw new ArchiveRefused('header_disagrees')
      zip64 = extra.subarray(at + 4, end)
    }
    if (id === UNICODE_PATH_EXTRA) checkUnicodePath(extra.subarray(at + 4, end), name)
    at = end
  }
  return zip64
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
