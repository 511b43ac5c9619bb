import { ArchiveRefused } from './archive-refused.ts'

/** GNU's type of a file that is stored without its holes. */
export const sparse = 'S'

/** One 512-byte header, fields as bytes, numbers parsed strictly. */
export interface TarHeader {
  type: string
  name: Buffer
  linkName: Buffer
  mode: number
  byteSize: number
}

/**
 * Reads a POSIX (`ustar`) or GNU header. Nothing depends on owner, times and device numbers, but they have to be numbers:
 * some readers take a header that does not parse for the archive's end. Throws on a wrong checksum, an unknown dialect,
 * and a field that two readers could read differently.
 */
export function parseTarHeader(block: Buffer): TarHeader {
  const magic = block.toString('latin1', 257, 265)
  const isPosix = magic === 'ustar\u000000'
  if (!isPosix && magic !== 'ustar  \0') throw new ArchiveRefused('archive_format')
  if (octal(block.subarray(148, 156)) !== checksum(block)) throw new ArchiveRefused('bad_checksum')
  for (const [start, end] of unusedNumbers) checkNumber(block.subarray(start, end))
  const name = text(block.subarray(0, 100))
  const type = block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0)
  const prefix = isPosix ? text(block.subarray(345, 500)) : Buffer.alloc(0)
  // In the GNU dialect times and a sparse file's map take the place of the prefix; some readers take them for one.
  if (!isPosix && type !== sparse && block.subarray(345, 500).some((byte) => byte !== 0))
    throw new ArchiveRefused('header_disagrees')
  return {
    type,
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    linkName: text(block.subarray(157, 257)),
    mode: octal(block.subarray(100, 108)) & 0o7777,
    byteSize: octal(block.subarray(124, 136)),
  }
}

export function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < 512; at += 1) {
    if (at < 148 || at > 155) sum += block[at] ?? 0
  }
  return sum
}

/** Up to the first NUL; anything behind it is hidden from some readers. */
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

/** Octal, nothing, or one of GNU's binary numbers. */
function checkNumber(field: Buffer): void {
  const isBinary = field[0] === 0x80 || field[0] === 0xff
  if (!isBinary && !/^ *[0-7]*[ \0]*$/.test(field.toString('latin1')))
    throw new ArchiveRefused('header_disagrees')
}

/** Octal digits, blanks before, blanks and NULs behind. GNU's binary numbers exceed every bound here. */
function octal(field: Buffer): number {
  const match = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))
  if (!match?.[1]) throw new ArchiveRefused('header_disagrees')
  return Number.parseInt(match[1], 8)
}
