import { ArchiveRefused } from '../archive-refused.ts'
import { fileTime } from '../file-time.ts'

/** GNU's type for sparse files. */
export const sparse = 'S'

/** One 512-byte header, fields as bytes, numbers parsed strictly. */
export interface TarHeader {
  type: string
  name: Buffer
  linkName: Buffer
  mode: number
  byteSize: number
  /** `../file-time.ts`. */
  modifiedAt: number
}

/**
 * `all` adds to the POSIX and GNU dialects the older v7 and GNU's incremental archives. It is for uploads, not for
 * images, whose bytes the host unpacks.
 */
export type TarVariants = 'plain' | 'all'

/**
 * Parses a POSIX (`ustar`), GNU or v7 header. Owner and device numbers are ignored, but have to be numbers, since
 * some parsers take a malformed header for the end of the archive. Throws on a wrong checksum, an unknown dialect,
 * and a field that two parsers could read differently.
 */
export function parseTarHeader(block: Buffer, variants: TarVariants = 'plain'): TarHeader {
  const dialect = dialectOf(block, variants)
  if (octal(block.subarray(148, 156)) !== checksum(block)) throw new ArchiveRefused('bad_checksum')
  for (const [start, end] of unusedNumbers) checkNumber(block.subarray(start, end))
  const name = text(block.subarray(0, 100))
  const type = typeOf(block, name, dialect)
  const prefix = dialect === 'posix' ? text(block.subarray(345, 500)) : Buffer.alloc(0)
  if (dialect === 'gnu' && type !== sparse) checkGnuFields(block, variants)
  return {
    type,
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    linkName: text(block.subarray(157, 257)),
    mode: octal(block.subarray(100, 108)) & 0o7777,
    byteSize: octal(block.subarray(124, 136)),
    modifiedAt: timeOf(block.subarray(136, 148)),
  }
}

/** Octal, empty, or one of GNU's binary numbers, as `checkNumber` accepts it. Times before 1970 are unknown. */
function timeOf(field: Buffer): number {
  if (field[0] === 0x80) return fileTime(Number(field.readBigUInt64BE(4)))
  return fileTime(Number.parseInt(field.toString('latin1').trim(), 8))
}

type Dialect = 'posix' | 'gnu' | 'v7'

/**
 * A v7 header ends where the magic of the others starts. The rest has to be zero, except the device numbers that GNU's tar
 * writes there.
 */
function dialectOf(block: Buffer, variants: TarVariants): Dialect {
  const magic = block.toString('latin1', 257, 265)
  if (magic === 'ustar\u000000') return 'posix'
  if (magic === 'ustar  \0') return 'gnu'
  const isBare = isZero(block.subarray(257, 329)) && isZero(block.subarray(345))
  if (variants === 'all' && isBare) return 'v7'
  throw new ArchiveRefused('archive_format')
}

/** v7 has no type for folders; a trailing slash marks one. */
function typeOf(block: Buffer, name: Buffer, dialect: Dialect): string {
  if (block[156] !== 0) return String.fromCharCode(block[156] ?? 0)
  return dialect === 'v7' && name.at(-1) === 0x2f ? '5' : '0'
}

/**
 * GNU's dialect has no prefix. Its field is empty, or has the access and change times of incremental archives, which some
 * parsers read as a prefix.
 */
function checkGnuFields(block: Buffer, variants: TarVariants): void {
  const timesEnd = variants === 'all' ? 369 : 345
  for (let at = 345; at < timesEnd; at += 12) checkNumber(block.subarray(at, at + 12))
  if (!isZero(block.subarray(timesEnd, 500))) throw new ArchiveRefused('header_disagrees')
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0)

export function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < 512; at += 1) {
    if (at < 148 || at > 155) sum += block[at] ?? 0
  }
  return sum
}

/** The text up to the first NUL. Anything after it is hidden from some parsers, and refused. */
function text(field: Buffer): Buffer {
  const end = field.indexOf(0)
  if (end === -1) return field
  if (field.subarray(end).some((byte) => byte !== 0)) throw new ArchiveRefused('header_disagrees')
  return field.subarray(0, end)
}

/** User, group, modification time, device numbers. */
const unusedNumbers = [
  [108, 116],
  [116, 124],
  [136, 148],
  [329, 337],
  [337, 345],
] as const

/** Octal, empty, or one of GNU's binary numbers. */
function checkNumber(field: Buffer): void {
  const isBinary = field[0] === 0x80 || field[0] === 0xff
  if (!isBinary && !/^ *[0-7]*[ \0]*$/.test(field.toString('latin1')))
    throw new ArchiveRefused('header_disagrees')
}

/** Octal digits, with leading blanks and trailing blanks and NULs. GNU's binary numbers exceed every bound here. */
function octal(field: Buffer): number {
  const match = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))
  if (!match?.[1]) throw new ArchiveRefused('header_disagrees')
  return Number.parseInt(match[1], 8)
}
