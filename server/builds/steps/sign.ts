import {
  type Attachment,
  annotations,
  type ImageDocuments,
  imageDocuments,
} from '../../images/image-documents.ts'
import { signedPayload } from '../../images/provenance/image-signature.ts'
import type { Built } from './customer-build/built.ts'
import type { Started } from './smoke.ts'
import type { Step } from './step.ts'

export interface Signed {
  image: ImageDocuments
  signature: Attachment
}

/** Creates the manifest and the configuration of the image, and signs the digest of the manifest. */
export const sign: Step<Pick<Built, 'layers'> & Pick<Started, 'imageConfig'>, Signed> = {
  name: 'sign',
  stage: 'sign',
  async run({ request, tools }, { layers, imageConfig }) {
    const image = imageDocuments({ layers, ...imageConfig })
    const manifestDigest = image.manifest.descriptor.digest
    const bytes = signedPayload({ manifestDigest, versionId: request.versionId })
    const { keyId, bytes: signature } = tools.signing.sign(bytes)
    const notes = { [annotations.cosignSignature]: signature.toString('base64'), [annotations.keyId]: keyId }
    return { image, signature: { kind: 'signature', bytes, annotations: notes } }
  },
}
