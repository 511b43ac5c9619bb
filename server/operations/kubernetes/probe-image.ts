import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { PushedImage } from '../../../kubernetes/registry/push-image.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { canonicalTar, textFile } from '../../../reader/formats/tar/canonical-tar.ts'
import { sha256Of } from '../../base/sha256.ts'
import { type Document, hexOf, imageDocuments, indexFile, layoutFile } from '../../images/image-documents.ts'
import { closedFolder, folder, layerOf, mountPoints, program, pushedBlob } from './layer-entries.ts'

async function* rootOf(probe: Buffer, closedMode: number): AsyncGenerator<ArchiveEntry, void> {
  yield folder('.sandbox')
  yield closedFolder(closedMode)
  yield program('.sandbox/init', probe)
  yield program('.sandbox/collector', probe)
  yield* mountPoints
  for (const path of ['record', 'token']) yield folder(path)
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
  const { bytes, ...layer } = await layerOf(rootOf(readFileSync(probe), closedMode))
  const { manifest, config } = imageDocuments({ layers: [layer], env: [], user: '' })
  const { digest, mediaType } = manifest.descriptor
  return {
    archive: await layoutOf(manifest, [manifest.bytes, config.bytes, bytes]),
    digest,
    image: {
      manifest: { digest, mediaType, bytes: manifest.bytes },
      blobs: [config.bytes, bytes].map(pushedBlob),
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
