import { Readable } from 'node:stream'
import { crc32, deflateRawSync } from 'node:zlib'
import {
  type ArchiveBounds,
  type ArchiveFormat,
  type ArchiveSource,
  contextBounds,
  readArchive,
} from './archive.ts'
import { ArchiveRefused } from './archive-refused.ts'
import { checksum } from './tar/tar-header.ts'

/* Archives for tests, written field by field so that every field can be wrong. */

export interface TarFields {
  name?: string | Buffer
  type?: string
  content?: string | Buffer
  /** The size in the header, if it differs from the content's. */
  size?: number
  mode?: number
  linkName?: string
  prefix?: string
  magic?: string
  checksum?: number
  /** Bytes written over the header before its checksum is taken. */
  patch?: [at: number, bytes: string]
  padding?: string
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

export function tarEntry(fields: TarFields): Buffer {
  const content = Buffer.from(fields.content ?? '')
  const block = Buffer.alloc(512)
  Buffer.from(fields.name ?? 'file').copy(block, 0, 0, 100)
  block.write(octal(fields.mode ?? 0o644, 7), 100, 'latin1')
  block.write(octal(fields.size ?? content.length, 11), 124, 'latin1')
  block.write(fields.type ?? '0', 156, 'latin1')
  block.write(fields.linkName ?? '', 157, 100, 'utf8')
  block.write(fields.magic ?? 'ustar\u000000', 257, 'latin1')
  block.write(fields.prefix ?? '', 345, 'latin1')
  if (fields.patch) block.write(fields.patch[1], fields.patch[0], 'latin1')
  block.write(`${octal(fields.checksum ?? checksum(block), 6)}\0 `, 148, 'latin1')
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  padding.write(fields.padding ?? '', 'latin1')
  return Buffer.concat([block, content, padding])
}

export const tarEnd = Buffer.alloc(1024)

export const tar = (...entries: TarFields[]): Buffer => Buffer.concat([...entries.map(tarEntry), tarEnd])

export function paxRecord(key: string, value: string): string {
  const restBytes = Buffer.byteLength(` ${key}=${value}\n`)
  let length = restBytes
  while (length !== restBytes + String(length).length) length = restBytes + String(length).length
  return `${length} ${key}=${value}\n`
}

export const pax = (...records: string[]): TarFields => ({
  name: 'pax',
  type: 'x',
  content: records.join(''),
})

export interface ZipFields {
  name?: string | Buffer
  content?: string | Buffer
  isStored?: boolean
  /** Unix mode with file type, 0 for an entry made on DOS. */
  unixMode?: number
  attributes?: number
  flags?: number
  method?: number
  /** Date and time of DOS. */
  dosTime?: number
  crc?: number
  size?: number
  compressed?: Buffer
  compressedSize?: number
  offset?: number
  extra?: Buffer
  disk?: number
  /** The version of the format that a reader needs. */
  version?: number
  /** Fields of the local header that differ. */
  local?: {
    name?: string
    crc?: number
    size?: number
    compressedSize?: number
    method?: number
    flags?: number
    extra?: Buffer
  }
  /** Bytes after the content. */
  after?: Buffer
}

export interface ZipEndFields {
  entryCount?: number
  countOnDisk?: number
  disk?: number
  directoryOffset?: number
  directoryBytes?: number
  comment?: string
  before?: Buffer
  /** Fields of the ZIP64 records that differ. Without it no ZIP64 records are written. */
  zip64?: Zip64Fields
  after?: Buffer
}

export interface Zip64Fields {
  recordSize?: number
  disk?: number
  entryCount?: number
  countOnDisk?: number
  directoryBytes?: number
  directoryOffset?: number
  /** The offset in the locator. */
  recordOffset?: number
  disks?: number
}

export const zip = (entries: ZipFields[], end: ZipEndFields = {}): Buffer =>
  Buffer.concat(zipParts(entries, end))

/** The same in parts. Stored content is passed by reference. */
export function zipParts(entries: ZipFields[], end: ZipEndFields = {}): Buffer[] {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const fields of entries) {
    const { local, centralBytes } = zipEntry(fields, offset)
    parts.push(...local)
    central.push(centralBytes)
    offset += local.reduce((sum, part) => sum + part.length, 0)
  }
  const directory = Buffer.concat(central)
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(end.disk ?? 0, 4)
  record.writeUInt16LE(end.countOnDisk ?? end.entryCount ?? entries.length, 8)
  record.writeUInt16LE(end.entryCount ?? entries.length, 10)
  record.writeUInt32LE(end.directoryBytes ?? directory.length, 12)
  record.writeUInt32LE(end.directoryOffset ?? offset, 16)
  record.writeUInt16LE(Buffer.byteLength(end.comment ?? ''), 20)
  const empty = Buffer.alloc(0)
  const comment = Buffer.from(end.comment ?? '')
  const before = end.before ?? empty
  const recordOffset = offset + directory.length + before.length
  const totals = { entryCount: entries.length, directoryBytes: directory.length, directoryOffset: offset }
  const zip64 = end.zip64 ? zip64End({ ...totals, recordOffset, ...end.zip64 }) : empty
  return [...parts, directory, before, zip64, record, comment, end.after ?? empty]
}

function zip64End(fields: Zip64Fields): Buffer {
  const record = Buffer.alloc(56)
  const long = (value: number | undefined, at: number) => record.writeBigUInt64LE(BigInt(value ?? 0), at)
  record.writeUInt32LE(0x06064b50, 0)
  long(fields.recordSize ?? 44, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeUInt32LE(fields.disk ?? 0, 16)
  long(fields.countOnDisk ?? fields.entryCount, 24)
  long(fields.entryCount, 32)
  long(fields.directoryBytes, 40)
  long(fields.directoryOffset, 48)
  return Buffer.concat([record, zip64Locator(fields.recordOffset ?? 0, fields.disks)])
}

export function zip64Locator(recordOffset: number, disks = 1): Buffer {
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(recordOffset), 8)
  locator.writeUInt32LE(disks, 16)
  return locator
}

function zipEntry(fields: ZipFields, offset: number): { local: Buffer[]; centralBytes: Buffer } {
  const content = typeof fields.content === 'object' ? fields.content : Buffer.from(fields.content ?? '')
  const name = Buffer.from(fields.name ?? 'file')
  const data = fields.compressed ?? (fields.isStored ? content : deflateRawSync(content))
  const extra = fields.extra ?? Buffer.alloc(0)
  const flags = fields.flags ?? 0
  const method = fields.method ?? (fields.isStored ? 0 : 8)
  const sums = [
    fields.crc ?? crc32(content),
    fields.compressedSize ?? data.length,
    fields.size ?? content.length,
  ]

  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(fields.unixMode === 0 ? 20 : 0x0314, 4)
  central.writeUInt16LE(fields.version ?? 20, 6)
  central.writeUInt16LE(flags, 8)
  central.writeUInt16LE(method, 10)
  central.writeUInt32LE(fields.dosTime ?? 0, 12)
  sums.forEach((sum, index) => {
    central.writeUInt32LE(sum, 16 + 4 * index)
  })
  central.writeUInt16LE(name.length, 28)
  central.writeUInt16LE(extra.length, 30)
  central.writeUInt16LE(fields.disk ?? 0, 34)
  central.writeUInt32LE(((fields.unixMode ?? 0o100644) * 65536 + (fields.attributes ?? 0)) >>> 0, 38)
  central.writeUInt32LE(fields.offset ?? offset, 42)

  const own = fields.local ?? {}
  const localName = Buffer.from(own.name ?? name)
  const localExtra = own.extra ?? extra
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(own.flags ?? flags, 6)
  local.writeUInt16LE(own.method ?? method, 8)
  const localSums = [own.crc ?? sums[0], own.compressedSize ?? sums[1], own.size ?? sums[2]]
  localSums.forEach((sum, index) => {
    local.writeUInt32LE(sum ?? 0, 14 + 4 * index)
  })
  local.writeUInt16LE(localName.length, 26)
  local.writeUInt16LE(localExtra.length, 28)
  return {
    local: [Buffer.concat([local, localName, localExtra]), data, fields.after ?? Buffer.alloc(0)],
    centralBytes: Buffer.concat([central, name, extra]),
  }
}

/** Streams the archive in chunks of odd sizes, as a network does. */
export const sourceOf = (archive: Buffer, chunkBytes = 1009): ArchiveSource => ({
  byteSize: archive.length,
  open: (range = { start: 0, end: archive.length - 1 }) =>
    Readable.from(chunksOf(archive.subarray(range.start, range.end + 1), chunkBytes)),
})

export function* chunksOf(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

export interface Listed {
  path: string
  kind: string
  mode: number
  content?: string
  linkTarget?: string
}

export async function listArchive(
  archive: Buffer,
  format: ArchiveFormat,
  bounds: Partial<ArchiveBounds> = {},
): Promise<Listed[]> {
  const listed: Listed[] = []
  for await (const entry of readArchive(sourceOf(archive), format, { ...contextBounds, ...bounds })) {
    const { path, kind, mode } = entry
    const content = entry.body ? { content: await textOf(entry.body) } : {}
    listed.push({
      path,
      kind,
      mode,
      ...content,
      ...(entry.linkTarget ? { linkTarget: entry.linkTarget } : {}),
    })
  }
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The slug of the refusal, or `accepted`. */
export async function refusalOf(
  archive: Buffer,
  format: ArchiveFormat,
  bounds: Partial<ArchiveBounds> = {},
): Promise<string> {
  try {
    for await (const _entry of readArchive(sourceOf(archive), format, { ...contextBounds, ...bounds }));
  } catch (error) {
    if (error instanceof ArchiveRefused) return error.slug
    throw error
  }
  return 'accepted'
}

export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
