import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { ArchiveSource } from '../formats/archive.ts'
import { tarEnd, tarEntry, type ZipFields, zipParts } from '../formats/archive-fixtures.ts'

/* Archives of any size in the memory of one file: all large files share one content buffer. */

export interface LargeSizes {
  fileBytes: number
  files: number
  /** Number of empty files, which cost a reader only their names. */
  smallFiles: number
}

const dockerfile = { name: 'Dockerfile', content: 'FROM scratch\n' }
const smallName = (index: number) => `folder-${index % 100}/a-file-with-a-name-of-common-length-${index}`

export function largeTar(sizes: LargeSizes): ArchiveSource {
  return segments([...tarSegments(sizes), tarEnd])
}

/** In gzip format but stored, so that the bytes are known without compressing. */
export function largeTarGz(sizes: LargeSizes): ArchiveSource {
  const parts = [...tarSegments(sizes), tarEnd]
  const blocks: Buffer[] = [Buffer.from('1f8b08000000000000ff', 'hex')]
  let crc = 0
  let byteSize = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 0xffff) {
      const bytes = part.subarray(at, at + 0xffff)
      blocks.push(storedBlock(bytes.length), bytes)
    }
    crc = crc32(part, crc)
    byteSize += part.length
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(byteSize % 2 ** 32, 4)
  return segments([...blocks, Buffer.from([1, 0, 0, 0xff, 0xff]), trailer])
}

export function largeZip({ fileBytes, files, smallFiles }: LargeSizes): ArchiveSource {
  const content = randomBytes(fileBytes)
  const crc = crc32(content)
  const entries: ZipFields[] = [dockerfile]
  for (let index = 0; index < files; index += 1) {
    entries.push({ name: `large-${index}`, content, crc, isStored: true })
  }
  for (let index = 0; index < smallFiles; index += 1) entries.push({ name: smallName(index) })
  return segments(zipParts(entries))
}

function* tarSegments({ fileBytes, files, smallFiles }: LargeSizes): Generator<Buffer> {
  const content = randomBytes(fileBytes - (fileBytes % 512))
  yield tarEntry(dockerfile)
  for (let index = 0; index < files; index += 1) {
    yield tarEntry({ name: `large-${index}`, size: content.length })
    yield content
  }
  for (let index = 0; index < smallFiles; index += 1) yield tarEntry({ name: smallName(index) })
}

function storedBlock(byteSize: number): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt16LE(byteSize, 1)
  header.writeUInt16LE(byteSize ^ 0xffff, 3)
  return header
}

/** Concatenates the parts, with random access. */
function segments(parts: Buffer[]): ArchiveSource {
  const byteSize = parts.reduce((sum, part) => sum + part.length, 0)
  function* between(start: number, end: number): Generator<Buffer> {
    let offset = 0
    for (const part of parts) {
      const bytes = part.subarray(Math.max(0, start - offset), Math.max(0, end + 1 - offset))
      if (bytes.length > 0) yield bytes
      offset += part.length
    }
  }
  return {
    byteSize,
    open: ({ start, end } = { start: 0, end: byteSize - 1 }) => Readable.from(between(start, end)),
  }
}
