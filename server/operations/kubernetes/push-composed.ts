import { pushImage, type StoredBlob } from '../../../kubernetes/registry/push-image.ts'
import type { RegistrySession } from '../../../kubernetes/registry/registry-session.ts'
import { hexOf, imageDocuments, type Layers, mediaTypes } from '../../images/image-documents.ts'
import { storedLayout } from '../../images/oci-layout.ts'
import { blobPath } from '../../images/provenance/verify-image.ts'
import {
  type RecordedImage,
  readSignedImage,
  type StoredImageTools,
} from '../../images/provenance/verify-stored.ts'
import { type MadeLayer, pushedBlob } from './layer-entries.ts'

export interface PushedVersion {
  /** Of the version's own image. */
  promotedDigest: string
  /** Of its layers with the platform's above them, as pods name it. */
  composedDigest: string
}

/**
 * Puts the signed image of a version into a registry as it is, and the image that pods run: the same layers and the platform's above them. The
 * configuration of that one has nothing of the version's, because the gateway gives a job its user and its variables: so versions with the
 * same layers share it. Throws `ImageUntrusted`, `RegistryFailed`.
 */
export async function pushComposed(
  session: RegistrySession,
  { tools, version, runner }: { tools: StoredImageTools; version: RecordedImage; runner: MadeLayer },
): Promise<PushedVersion> {
  const signed = await readSignedImage(tools, version)
  const layout = storedLayout(tools.storage, version.id)
  const layers = signed.layers.map(
    ({ digest, byteSize }): StoredBlob => ({ digest, byteSize, open: () => layout.open(blobPath(digest)) }),
  )
  const own = imageDocuments({ layers: signed.layers, ...signed.config })
  const { digest: promotedDigest } = own.manifest.descriptor
  if (promotedDigest !== signed.digest)
    throw new Error('the documents of a version are not those that were signed')
  await pushImage(session, {
    manifest: { digest: promotedDigest, mediaType: mediaTypes.manifest, bytes: own.manifest.bytes },
    blobs: [pushedBlob(own.config.bytes), ...layers],
    tag: `v-${version.id}`,
  })
  const composed = composedDocuments(signed.layers, runner)
  const { digest: composedDigest } = composed.manifest.descriptor
  await pushImage(session, {
    manifest: { digest: composedDigest, mediaType: mediaTypes.manifest, bytes: composed.manifest.bytes },
    blobs: [pushedBlob(composed.config.bytes), ...layers, pushedBlob(runner.bytes)],
    tag: `c-${hexOf(composedDigest).slice(0, 32)}`,
  })
  return { promotedDigest, composedDigest }
}

const composedDocuments = ([lowest, ...others]: Layers, { digest, byteSize, diffId }: MadeLayer) =>
  imageDocuments({ layers: [lowest, ...others, { digest, byteSize, diffId }], env: [], user: '' })
