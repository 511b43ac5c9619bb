import { readFile } from 'node:fs/promises'
import type { PushedImage } from '../../../kubernetes/registry/push-image.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { hexOf, imageDocuments } from '../../images/image-documents.ts'
import { folder, layerOf, program, pushedBlob } from './layer-entries.ts'

/** The image of the second container of every pod: one static program, and folders for what the manifest mounts. */
export async function collectorImage(collector: string): Promise<PushedImage> {
  const bytes = await readFile(collector)
  async function* entries(): AsyncGenerator<ArchiveEntry, void> {
    yield folder('.sandbox')
    yield program('.sandbox/collector', bytes)
    for (const path of ['dev', 'etc', 'proc', 'record', 'sys', 'token', 'workspace']) yield folder(path)
  }
  const { bytes: layerBytes, ...layer } = await layerOf(entries())
  const { manifest, config } = imageDocuments({ layers: [layer], env: [], user: '' })
  const { digest, mediaType } = manifest.descriptor
  return {
    manifest: { digest, mediaType, bytes: manifest.bytes },
    blobs: [config.bytes, layerBytes].map(pushedBlob),
    tag: `collector-${hexOf(digest).slice(0, 16)}`,
  }
}
