import type { PublishedSigningKeys } from '../../base/keys/published-signing-keys.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { installedDigest } from '../image-documents.ts'
import { storedLayout } from '../oci-layout.ts'
import { type ImageSigned, ImageUntrusted, verifyLayers, verifySigned } from './verify-image.ts'

export interface StoredImageTools {
  storage: ObjectStorage
  signing: Pick<PublishedSigningKeys, 'trusted'>
}

/** A version's database row. The row itself proves nothing. */
export interface RecordedImage {
  id: string
  promotedDigest: string
  /** Under which the host installs it. */
  layerDigest: string
}

/** The signed image of a version, which has to match the version's row. Throws `ImageUntrusted`. */
export async function readSignedImage(
  { storage, signing }: StoredImageTools,
  version: RecordedImage,
): Promise<ImageSigned> {
  const image = await verifySigned(storedLayout(storage, version.id), { trusted: signing.trusted() })
  if (image.versionId !== version.id) throw new ImageUntrusted('image_of_another_version')
  if (image.digest !== version.promotedDigest) throw new ImageUntrusted('promoted_digest_differs')
  if (installedDigest(image.layers) !== version.layerDigest) throw new ImageUntrusted('layer_digest_differs')
  return image
}

/** Also verifies every stored byte of the layers. */
export async function verifyStored(tools: StoredImageTools, version: RecordedImage): Promise<ImageSigned> {
  const image = await readSignedImage(tools, version)
  await verifyLayers(storedLayout(tools.storage, version.id), image.layers)
  return image
}
