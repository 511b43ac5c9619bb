import { installedDigest } from '../../images/image-documents.ts'
import { layerKey, storedLayout } from '../../images/oci-layout.ts'
import { ImageUntrusted, verifyLayers } from '../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../images/provenance/verify-stored.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { Built } from './customer-build/built.ts'
import type { Promoted } from './promote.ts'
import type { Step } from './step.ts'

/**
 * Reads the promoted image back and verifies it with the public keys only, as any user could. The bytes of a layer that the image
 * shares with others are read once in an hour.
 */
export const finalVerify: Step<Pick<Built, 'layers'> & Promoted, void> = {
  name: 'final_verify',
  stage: 'final_verify',
  async run({ request: { versionId }, tools }, { layers, promotedDigest }) {
    try {
      const recorded = { id: versionId, promotedDigest, layerDigest: installedDigest(layers) }
      const image = await readSignedImage(tools, recorded)
      const layout = storedLayout(tools.storage, versionId)
      await verifyLayers(layout, image.layers, ({ digest }) => tools.digests.of(layerKey(versionId, digest)))
    } catch (error) {
      throw error instanceof ImageUntrusted ? new BuildFailed('platform_failed', error.slug) : error
    }
  },
}
