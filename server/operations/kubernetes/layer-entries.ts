import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import type { StoredBlob } from '../../../kubernetes/registry/push-image.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { canonicalTar, textFile } from '../../../reader/formats/tar/canonical-tar.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Layer } from '../../images/image-documents.ts'

/* Layers of the platform for pods. */

export const folder = (path: string, mode = 0o755): ArchiveEntry => ({
  path,
  kind: 'directory',
  mode,
  byteSize: 0,
})

export const program = (path: string, bytes: Buffer): ArchiveEntry => ({
  ...textFile(path, bytes),
  mode: 0o755,
})

/** Nobody without capabilities enters it: the termination message of a job is mounted in it. */
export const closedFolder = (mode = 0) => folder('.sandbox/closed', mode)

/** Real folders where a manifest mounts something: an image's link of the same name would be followed. */
export const mountPoints = ['workspace', 'tmp', 'var', 'var/tmp', 'run', 'root'].map((path) => folder(path))

export interface MadeLayer extends Layer {
  bytes: Buffer
}

/** The layer of these entries, compressed. */
export async function layerOf(entries: AsyncIterable<ArchiveEntry>): Promise<MadeLayer> {
  const tar = await buffer(canonicalTar(entries))
  const bytes = zstdCompressSync(tar)
  return { digest: sha256Of(bytes), byteSize: bytes.length, diffId: sha256Of(tar), bytes }
}

export const pushedBlob = (bytes: Buffer): StoredBlob => ({
  digest: sha256Of(bytes),
  byteSize: bytes.length,
  open: () => Readable.from([bytes]),
})
