import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import type { ImageLayer } from '../agent/port/images.ts'
import { sha256Of } from '../server/base/sha256.ts'
import { mediaTypes } from '../server/images/image-documents.ts'

/** The layer of this tar, stored as the service stores it. */
export function layerOf(tar: Buffer): ImageLayer {
  const bytes = zstdCompressSync(tar)
  return {
    openTar: async () => Readable.from([tar]),
    openStored: async () => Readable.from([bytes]),
    stored: { mediaType: mediaTypes.layer, digest: sha256Of(bytes), byteSize: bytes.length },
  }
}
