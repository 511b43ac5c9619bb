import { crc32 } from 'node:zlib'

/*
 * A zip archive as a stream. Files are stored as they are: what jobs make is often compressed already, and so the size of
 * the archive is known before its first byte. A large file is read twice, for its checksum stands before its bytes; archives
 * with checksums behind them are not read by every program. At most 4 GiB and 65535 files, so without zip64.
 */

export interface ZipFile {
  /** At most 65535 bytes of UTF-8, with slashes between folders. */
  name: string
  byteSize: number
  /** Absent: that of the archive. */
  modifiedAt?: Date | undefined
  /** The bytes, from the first one each time. */
  read(): AsyncIterable<Buffer>
}

/** A smaller file is kept between its checksum and its bytes. So much of the archive is passed on at once, too. */
const pieceBytes = 64 * 1024
const localHeaderBytes = 30
const centralHeaderBytes = 46
const endBytes = 22
const filesMax = 0xffff
const archiveMaxBytes = 0xffff_ffff

/** Version 2.0 for folders; names are UTF-8. */
const neededVersion = 20
const utf8Names = 0x0800
/** Unix, so that the mode is read. */
const madeBy = (3 << 8) | neededVersion
const fileMode = 0o100644

const nameBytes = ({ name }: ZipFile): number => Buffer.byteLength(name)

/** Size of the archive that `zipOf` makes. */
export const zipByteSize = (files: readonly ZipFile[]): number =>
  files.reduce(
    (sum, file) => sum + localHeaderBytes + centralHeaderBytes + 2 * nameBytes(file) + file.byteSize,
    endBytes,
  )

/** The archive, with the time `at`; the same files and time give the same bytes. */
export async function* zipOf(files: readonly ZipFile[], at: Date): AsyncGenerator<Buffer, void> {
  if (files.length > filesMax || zipByteSize(files) > archiveMaxBytes) throw new Error('too much for a zip')
  const directory: Buffer[] = []
  let offset = 0
  let piece: Buffer[] = []
  let passed = 0
  for (const file of files) {
    const { crc, bytes } = await readOnce(file)
    const fields = fieldsOf(file, { crc, time: dosTime(file.modifiedAt ?? at) })
    const name = Buffer.from(file.name)
    const header = Buffer.alloc(localHeaderBytes)
    header.writeUInt32LE(0x04034b50, 0)
    fields.copy(header, 4)
    directory.push(centralHeader(fields, offset), name)
    offset += header.length + name.length + file.byteSize
    piece.push(header, name, ...(bytes ?? []))
    if (bytes && offset - passed < pieceBytes) continue
    yield Buffer.concat(piece)
    if (!bytes) yield* file.read()
    piece = []
    passed = offset
  }
  const index = Buffer.concat(directory)
  yield Buffer.concat([...piece, index, endOf({ files: files.length, indexBytes: index.length, offset })])
}

/** The checksum of a file, and the bytes of a small one. */
async function readOnce(file: ZipFile): Promise<{ crc: number; bytes: Buffer[] | undefined }> {
  const bytes: Buffer[] | undefined = file.byteSize <= pieceBytes ? [] : undefined
  let crc = 0
  let byteSize = 0
  for await (const read of file.read()) {
    crc = crc32(read, crc)
    byteSize += read.length
    bytes?.push(read)
  }
  if (byteSize !== file.byteSize) throw new Error('a file has another size than it was listed with')
  return { crc, bytes }
}

/** The fields that the header of a file and its entry in the directory have in common. */
function fieldsOf(file: ZipFile, { crc, time }: { crc: number; time: number }): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(neededVersion, 0)
  fields.writeUInt16LE(utf8Names, 2)
  // Bytes 4 and 5: stored, not compressed.
  fields.writeUInt32LE(time, 6)
  fields.writeUInt32LE(crc, 10)
  fields.writeUInt32LE(file.byteSize, 14)
  fields.writeUInt32LE(file.byteSize, 18)
  fields.writeUInt16LE(nameBytes(file), 22)
  return fields
}

function centralHeader(fields: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(centralHeaderBytes)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeBy, 4)
  fields.copy(header, 6)
  header.writeUInt32LE((fileMode << 16) >>> 0, 38)
  header.writeUInt32LE(offset, 42)
  return header
}

function endOf(of: { files: number; indexBytes: number; offset: number }): Buffer {
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(of.files, 8)
  end.writeUInt16LE(of.files, 10)
  end.writeUInt32LE(of.indexBytes, 12)
  end.writeUInt32LE(of.offset, 16)
  return end
}

const earliestMs = Date.UTC(1980, 0, 1)
const latestMs = Date.UTC(2107, 11, 31, 23, 59, 58)

/** Two seconds exact, or the nearest time that a header holds, in UTC. */
function dosTime(time: Date): number {
  const at = new Date(Math.min(Math.max(time.getTime(), earliestMs), latestMs))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const clock = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | clock) >>> 0
}
