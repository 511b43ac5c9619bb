import { ArchiveRefused } from '../archive-refused.ts'

/*
 * The zip64 extension (APPNOTE 4.3.14, 4.3.15, 4.5.3): 64-bit values for fields that are too narrow. Honest
 * archivers write it for large archives, and for archives of unknown size. A value is used
 * only if the narrow field has its mask; if both have a value they have to be equal, so that parsers
 * with and without the extension read the same.
 */

export const ZIP64_EXTRA = 0x0001
const RECORD_BYTES = 56
const LOCATOR_BYTES = 20
const RECORD_SIGNATURE = 0x06064b50
const LOCATOR_SIGNATURE = 0x07064b50
/** The value of a 16 or 32 bit field whose real value is in the extension. */
export const mask16 = 0xffff
export const mask32 = 0xffffffff

/** Bytes of both records, which are right before the end record. */
export const zip64EndBytes = RECORD_BYTES + LOCATOR_BYTES

export interface ZipTotals {
  entryCount: number
  directoryBytes: number
  directoryOffset: number
}

/** The totals in the two records before the end record; undefined without them. `offset` is the offset of `records`. */
export function parseZip64End(records: Buffer, offset: number): ZipTotals | undefined {
  const locatorAt = records.length - LOCATOR_BYTES
  if (locatorAt < 0 || records.readUInt32LE(locatorAt) !== LOCATOR_SIGNATURE) return undefined
  const recordAt = locatorAt - RECORD_BYTES
  if (recordAt < 0) throw new ArchiveRefused('header_disagrees')
  const isWhole =
    records.readUInt32LE(locatorAt + 4) === 0 &&
    uint64(records, locatorAt + 8) === offset + recordAt &&
    records.readUInt32LE(locatorAt + 16) === 1
  if (!isWhole) throw new ArchiveRefused('header_disagrees')
  const record = records.subarray(recordAt, locatorAt)
  if (record.readUInt32LE(0) !== RECORD_SIGNATURE) throw new ArchiveRefused('header_disagrees')
  // A longer record has an extensible part, as for an encrypted directory.
  if (uint64(record, 4) !== RECORD_BYTES - 12) throw new ArchiveRefused('zip64_unsupported')
  const entryCount = uint64(record, 32)
  const isOneDisk =
    record.readUInt32LE(16) === 0 && record.readUInt32LE(20) === 0 && uint64(record, 24) === entryCount
  if (!isOneDisk) throw new ArchiveRefused('zip_feature_unsupported')
  return { entryCount, directoryBytes: uint64(record, 40), directoryOffset: uint64(record, 48) }
}

/**
 * The real values of `narrow` fields, in the order of the extension. `extra` is the content
 * of the extra field, undefined without one. It has to contain the values of the masked fields and nothing else.
 */
export function widened(extra: Buffer | undefined, narrow: readonly number[]): number[] {
  const masked = narrow.filter((value) => value === mask32).length
  if (masked * 8 !== (extra?.length ?? 0)) throw new ArchiveRefused('header_disagrees')
  let at = 0
  return narrow.map((value) => {
    if (value !== mask32 || extra === undefined) return value
    at += 8
    return uint64(extra, at - 8)
  })
}

/** No valid offset or count exceeds 2^53. */
export function uint64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ArchiveRefused('header_disagrees')
  return Number(value)
}
