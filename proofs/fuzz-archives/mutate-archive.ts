import { gunzipSync, gzipSync } from 'node:zlib'
import type { ArchiveFormat } from '../../reader/formats/archive.ts'
import { checksum } from '../../reader/formats/tar/tar-header.ts'
import type { SeededRandom } from '../../server/base/seeded-random.ts'

export interface Sample {
  format: ArchiveFormat
  bytes: Buffer
}

/** Mutates an archive one to four times, sometimes with bytes of another. */
export function mutateArchive(draw: SeededRandom, sample: Sample, others: readonly Sample[]): Buffer {
  // gzip's checksum would catch most changes, so mostly the tar inside is mutated.
  if (sample.format === 'tar.gz' && draw.chance(0.7)) {
    return gzipSync(mutateBytes(draw, gunzipSync(sample.bytes), 'tar', others), { level: 1 })
  }
  return mutateBytes(draw, sample.bytes, sample.format, others)
}

type Change = (draw: SeededRandom, bytes: Buffer, others: readonly Sample[]) => Buffer

function mutateBytes(
  draw: SeededRandom,
  original: Buffer,
  format: ArchiveFormat,
  others: readonly Sample[],
): Buffer {
  let bytes: Buffer = Buffer.from(original)
  const changes = format === 'tar' ? [...anyChanges, ...tarChanges] : [...anyChanges, ...zipChanges]
  for (let count = 1 + draw.below(4); count > 0 && bytes.length > 0; count -= 1) {
    bytes = draw.of(changes)(draw, bytes, others)
  }
  return bytes
}

const numbers = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x7fffffff, 0xfffffffe, 0xffffffff]

const flip: Change = (draw, bytes) => {
  const at = draw.below(bytes.length)
  bytes.writeUInt8((bytes[at] ?? 0) ^ (1 << draw.below(8)), at)
  return bytes
}

const setByte: Change = (draw, bytes) => {
  bytes.writeUInt8(draw.below(256), draw.below(bytes.length))
  return bytes
}

const cut: Change = (draw, bytes) => bytes.subarray(0, draw.below(bytes.length))

/** Inserts, overwrites or removes a range of bytes. */
const splice: Change = (draw, bytes, others) => {
  const from = draw.chance(0.5) ? bytes : draw.of(others).bytes
  const start = draw.below(from.length)
  const piece = from.subarray(start, start + 1 + draw.below(1024))
  const at = draw.below(bytes.length)
  const end = at + draw.of([0, piece.length, 1 + draw.below(1024)])
  return Buffer.concat(
    [bytes.subarray(0, at), draw.chance(0.7) ? piece : '', bytes.subarray(end)].map(toBuffer),
  )
}

const toBuffer = (part: Buffer | string): Buffer => Buffer.from(part)

/** Writes a number where a length might be. */
const lie: Change = (draw, bytes) => {
  if (bytes.length < 4) return bytes
  const at = draw.below(bytes.length - 3)
  const value = draw.of(numbers)
  if (draw.chance(0.5)) bytes.writeUInt16LE(value & 0xffff, at)
  else bytes.writeUInt32LE(value, at)
  return bytes
}

const anyChanges: Change[] = [flip, setByte, cut, splice, lie, flip, setByte]

/** Offset and length of the fields of a tar header. */
const tarFields = [
  [0, 100], [100, 8], [108, 8], [116, 8], [124, 12], [136, 12], [156, 1], [157, 100], [257, 8], [329, 8], [337, 8], [345, 155],
] as const // biome-ignore format: a table

const tarTexts = ['', '0', '5', '2', '1', 'x', 'L', 'a', '../a', '/a', './a', 'a/', 'Dockerfile', 'D', '\0', 'Dockerfile\0', '00000000000', '00000000001', '77777777777', '\x80', 'ustar\x0000', 'ustar  \0', '0000755'] // biome-ignore format: a list

/** Changes a header field and corrects the checksum, as a hostile packer does. */
const editHeader: Change = (draw, bytes) => {
  const header = draw.of(headersOf(bytes))
  if (!header) return bytes
  const [at, length] = draw.of(tarFields)
  if (draw.chance(0.7)) header.fill(0, at, at + length)
  if (draw.chance(0.7)) header.write(draw.of(tarTexts).slice(0, length), at, 'latin1')
  else header.writeUInt8(draw.below(256), at + draw.below(length))
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return bytes
}

/** Moves, doubles, zeroes or removes a block of 512 bytes. */
const moveBlocks: Change = (draw, bytes) => {
  const blocks = Math.max(1, Math.floor(bytes.length / 512))
  const at = 512 * draw.below(blocks)
  const block = bytes.subarray(at, at + 512)
  const to = 512 * draw.below(blocks)
  const rest = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 512)])
  const moved = draw.of([block, Buffer.concat([block, block]), Buffer.alloc(512), Buffer.alloc(0)])
  return Buffer.concat([rest.subarray(0, to), moved, rest.subarray(to)])
}

const tarChanges: Change[] = [editHeader, editHeader, editHeader, editHeader, moveBlocks]

function headersOf(tar: Buffer): Buffer[] {
  const headers: Buffer[] = []
  for (let at = 0; at + 512 <= tar.length; at += 512) {
    const isUstar = tar.toString('latin1', at + 257, at + 262) === 'ustar'
    // A v7 header has no magic; it is recognized by its mode.
    const isV7 = /^[0-7]{6,}/.test(tar.toString('latin1', at + 100, at + 107))
    if (isUstar || isV7) headers.push(tar.subarray(at, at + 512))
  }
  return headers
}

const signatures = [0x04034b50, 0x02014b50, 0x06054b50, 0x08074b50, 0x06064b50, 0x07064b50]

/** Changes a number in a zip record, whose fields are all within 46 bytes of the signature. */
const editRecord: Change = (draw, bytes) => {
  const records: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 1) {
    if (signatures.includes(bytes.readUInt32LE(at))) records.push(at)
  }
  if (records.length === 0) return bytes
  const at = draw.of(records) + 4 + 2 * draw.below(21)
  if (at + 4 > bytes.length) return bytes
  const near = bytes.readUInt16LE(at) + draw.of([-1, 1, 2, 8])
  if (draw.chance(0.3)) bytes.writeUInt32LE(draw.of(numbers), at)
  else bytes.writeUInt16LE((draw.chance(0.5) ? near : draw.of(numbers)) & 0xffff, at)
  return bytes
}

const zipChanges: Change[] = [editRecord, editRecord, editRecord]
