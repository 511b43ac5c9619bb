import { crc32 } from 'node:zlib'
import { ArchiveRefused } from './archive-refused.ts'
import type { ByteReader } from './byte-reader.ts'
import { inflate } from './inflate.ts'

const HEADER_CRC = 0x02
const EXTRA = 0x04
const NAME = 0x08
const COMMENT = 0x10
const RESERVED = 0xe0
const MAX_TEXT_BYTES = 4096

/**
 * The content of a gzip file with exactly one member (RFC 1952). Parsers differ on what follows the first
 * member, so anything after it is refused. Length and checksum are verified.
 */
export async function* gunzip(input: ByteReader): AsyncGenerator<Buffer, void> {
  await skipHeader(input)
  let crc = 0
  let byteSize = 0
  for await (const bytes of inflate(input, Number.MAX_SAFE_INTEGER)) {
    crc = crc32(bytes, crc)
    byteSize += bytes.length
    yield bytes
  }
  const trailer = await input.exactly(8)
  if (trailer.readUInt32LE(0) !== crc) throw new ArchiveRefused('archive_corrupt')
  if (trailer.readUInt32LE(4) !== byteSize % 2 ** 32) throw new ArchiveRefused('archive_corrupt')
  if ((await input.chunk(1)) !== undefined) throw new ArchiveRefused('trailing_data')
}

async function skipHeader(input: ByteReader): Promise<void> {
  const header = await input.exactly(10)
  if (header.readUInt16BE(0) !== 0x1f8b || header[2] !== 8) throw new ArchiveRefused('archive_format')
  const flags = header.readUInt8(3)
  if (flags & RESERVED) throw new ArchiveRefused('archive_format')
  if (flags & EXTRA) await input.exactly((await input.exactly(2)).readUInt16LE(0))
  if (flags & NAME) await skipText(input)
  if (flags & COMMENT) await skipText(input)
  if (flags & HEADER_CRC) await input.exactly(2)
}

async function skipText(input: ByteReader): Promise<void> {
  for (let length = 0; length < MAX_TEXT_BYTES; length += 1) {
    if ((await input.exactly(1))[0] === 0) return
  }
  throw new ArchiveRefused('archive_format')
}
