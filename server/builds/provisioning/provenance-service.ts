import { Readable } from 'node:stream'
import {
  attachmentTypes,
  type Envelope,
  type ImageSignatureList,
  type SigningKeyList,
} from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { canonicalTar, storedFile } from '../../../reader/formats/tar/canonical-tar.ts'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { PublishedSigningKeys } from '../../base/keys/published-signing-keys.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { getVersion } from '../../environments/versions/ready-versions.ts'
import type { VersionPath } from '../../environments/versions/version-service.ts'
import { storedLayout } from '../../images/oci-layout.ts'
import { blobPath, type ImageSigned, ImageUntrusted } from '../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../images/provenance/verify-stored.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'

export interface ProvenanceContext extends Pick<EnvironmentContext, 'db' | 'storage'> {
  signing: Pick<PublishedSigningKeys, 'trusted' | 'list'>
}

/** The public keys that verify images. They are public. */
export const listSigningKeys = ({ signing }: Pick<ProvenanceContext, 'signing'>): SigningKeyList => ({
  items: signing.list().map(({ id, pem, signs, madeAt }) => ({
    key_id: id,
    algorithm: 'ECDSA-P256-SHA256',
    public_key_pem: pem,
    signs,
    made_at: madeAt.toISOString(),
  })),
})

/** The signed provenance of a version's image; for owner managers. */
export async function readProvenance(
  context: ProvenanceContext,
  principal: Principal,
  path: VersionPath,
): Promise<Envelope> {
  return (await signedImage(context, principal, path)).envelope
}

export async function listSignatures(
  context: ProvenanceContext,
  principal: Principal,
  path: VersionPath,
): Promise<ImageSignatureList> {
  const { digest, signature } = await signedImage(context, principal, path)
  return {
    items: [
      {
        subject_digest: digest,
        key_id: signature.keyId,
        media_type: attachmentTypes.signature,
        payload: signature.payload.toString('base64'),
        signature: signature.bytes.toString('base64'),
      },
    ],
  }
}

/**
 * The image as one tar of its OCI layout, the layers last. With a public key it is enough to verify the image. Throws
 * `downloads_busy` too.
 */
export async function openImage(
  context: ProvenanceContext & { downloads: Downloads },
  principal: Principal,
  { signal, ...path }: VersionPath & { signal: AbortSignal },
): Promise<Readable> {
  const { documents, layers } = await signedImage(context, principal, path)
  const files = storedLayout(context.storage, path.versionId)
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    for (const name of [...documents, ...layers.map(({ digest }) => blobPath(digest))]) {
      const byteSize = await files.size(name)
      if (byteSize === undefined) throw new ImageUntrusted('layout_missing')
      yield storedFile(name, byteSize, () => files.open(name))
    }
  }
  return context.downloads.stream({ ...downloaderOf(principal), signal }, async () =>
    Readable.from(canonicalTar(entries()), { objectMode: false }),
  )
}

/** Throws 404 if there is no image, and 409 `image_untrusted` if it does not match its signature. */
async function signedImage(
  { db, storage, signing }: ProvenanceContext,
  principal: Principal,
  { environmentId, versionId }: VersionPath,
): Promise<ImageSigned> {
  await managedEnvironment(db, principal, 'environment.inspect', environmentId)
  const version = await getVersion(db, principal.companyId, versionId)
  if (version?.environment_id !== environmentId) throw notFound()
  const { promoted_digest: promotedDigest, layer_digest: layerDigest } = version
  if (promotedDigest === null || layerDigest === null) throw notFound()
  try {
    return await readSignedImage({ storage, signing }, { id: versionId, promotedDigest, layerDigest })
  } catch (error) {
    throw error instanceof ImageUntrusted ? new CodedError('image_untrusted', { reason: error.slug }) : error
  }
}
