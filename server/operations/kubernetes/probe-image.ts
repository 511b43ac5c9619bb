import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import type { PushedImage } from '../../../kubernetes/registry/push-image.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { canonicalTar, textFile } from '../../../reader/formats/tar/canonical-tar.ts'
import { sha256Of } from '../../base/sha256.ts'
import { type Document, hexOf, imageDocuments, indexFile, layoutFile } from '../../images/image-documents.ts'

const folder = (path: string, mode = 0o755): ArchiveEntry => ({ path, kind: 'directory', mode, byteSize: 0 })
const program = (path: string, bytes: Buffer): ArchiveEntry => ({ ...textFile(path, bytes), mode: 0o755 })

async function* rootOf(probe: Buffer, closedMode: number): AsyncGenerator<ArchiveEntry, void> {
  yield folder('.sandbox')
  // Nobody without capabilities enters it: the termination message of a job is mounted in it.
  yield folder('.sandbox/closed', closedMode)
  yield program('.sandbox/init', probe)
  yield program('.sandbox/collector', probe)
  for (const path of ['workspace', 'tmp', 'var', 'var/tmp', 'run', 'root', 'record', 'token'])
    yield folder(path)
}

export interface ProbeImage {
  archive: Buffer
  digest: string
  image: PushedImage
}

/** An image in which both programs of a pod are the probe, as an archive in OCI's form; and the digest by which pods name it. */
export async function probeImage({
  probe,
  closedMode = 0,
}: {
  probe: string
  /** Another one is for a test of the probe. */
  closedMode?: number
}): Promise<ProbeImage> {
  const tar = await buffer(canonicalTar(rootOf(readFileSync(probe), closedMode)))
  const layer = zstdCompressSync(tar)
  const { manifest, config } = imageDocuments({
    layers: [{ digest: sha256Of(layer), byteSize: layer.length, diffId: sha256Of(tar) }],
    env: [],
    user: '',
  })
  const blobs = [manifest.bytes, config.bytes, layer]
  const { digest, mediaType } = manifest.descriptor
  return {
    archive: await layoutOf(manifest, blobs),
    digest,
    image: {
      manifest: { digest, mediaType, bytes: manifest.bytes },
      blobs: [config.bytes, layer].map((bytes) => ({
        digest: sha256Of(bytes),
        byteSize: bytes.length,
        open: () => Readable.from([bytes]),
      })),
      tag: `probe-${hexOf(digest).slice(0, 16)}`,
    },
  }
}

async function layoutOf(manifest: Document, blobs: readonly Buffer[]): Promise<Buffer> {
  async function* entries() {
    yield textFile('oci-layout', layoutFile)
    for (const bytes of blobs) yield textFile(join('blobs/sha256', hexOf(sha256Of(bytes))), bytes)
    yield textFile('index.json', indexFile(manifest.descriptor, []))
  }
  return buffer(canonicalTar(entries()))
}
