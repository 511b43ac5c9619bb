import { annotations, imageDocuments } from '../image-documents.ts'
import { signedPayload } from '../provenance/image-signature.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** Fixes what the image is, to the last byte of its manifest, and signs that. */
export const sign: BuildStep = {
  stage: 'sign',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const { findings, order, tools } = build
    const image = imageDocuments({ layer: found(build, 'layer'), ...found(build, 'imageConfig') })
    const manifestDigest = image.manifest.descriptor.digest
    const payload = signedPayload({ manifestDigest, versionId: order.versionId })
    const { keyId, bytes } = tools.signing.sign(payload)
    findings.image = image
    findings.signature = {
      kind: 'signature',
      bytes: payload,
      annotations: { [annotations.cosignSignature]: bytes.toString('base64'), [annotations.keyId]: keyId },
    }
  },
}
