import { installedDigest, type Layers } from '../../images/image-documents.ts'
import { layerKey } from '../../images/oci-layout.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../images/provenance/verify-stored.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { BuildTools } from '../request/build-tools.ts'
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
  async run({ request, tools }, { layers, promotedDigest }) {
    const { versionId } = request
    try {
      const recorded = { id: versionId, promotedDigest, layerDigest: installedDigest(layers) }
      const image = await readSignedImage(tools, recorded)
      await verifyLayers(tools, versionId, image.layers)
    } catch (error) {
      throw error instanceof ImageUntrusted ? new BuildFailed('platform_failed', error.slug) : error
    }
  },
}

async function verifyLayers({ digests }: BuildTools, versionId: string, layers: Layers): Promise<void> {
  for (const { digest } of layers) {
    const stored = await digests.of(layerKey(versionId, digest))
    if (stored === undefined) throw new ImageUntrusted('layer_missing')
    if (stored !== digest) throw new ImageUntrusted('layer_damaged')
  }
}
