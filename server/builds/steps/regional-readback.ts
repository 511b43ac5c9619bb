import { installLayers } from '../../images/install-layers.ts'
import { openLayer } from '../../images/oci-layout.ts'
import type { Built } from './customer-build/built.ts'
import type { Step } from './step.ts'

/** Ensures that the host has the image, and installs what is missing of it from the promoted copy. */
export const regionalReadback: Step<Pick<Built, 'layers'>, void> = {
  name: 'regional_readback',
  stage: 'regional_readback',
  async run({ request, tools: { executor, storage } }, { layers }) {
    await installLayers(executor, layers, ({ digest }) => openLayer(storage, request.versionId, digest))
  },
}
