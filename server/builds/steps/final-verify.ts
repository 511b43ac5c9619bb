import { installedDigest } from '../../images/image-documents.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import { verifyStored } from '../../images/provenance/verify-stored.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { Built } from './customer-build/built.ts'
import type { Promoted } from './promote.ts'
import type { Step } from './step.ts'

/** Reads the promoted image back and verifies every byte of it with the public keys only, as any user could. */
export const finalVerify: Step<Pick<Built, 'layers'> & Promoted, void> = {
  name: 'final_verify',
  stage: 'final_verify',
  async run({ request, tools }, { layers, promotedDigest }) {
    try {
      await verifyStored(tools, {
        id: request.versionId,
        promotedDigest,
        layerDigest: installedDigest(layers),
      })
    } catch (error) {
      throw error instanceof ImageUntrusted ? new BuildFailed('platform_failed', error.slug) : error
    }
  },
}
