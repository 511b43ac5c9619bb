import { openLayer } from '../../images/oci-layout.ts'
import type { Built } from './customer-build/built.ts'
import type { Step } from './step.ts'

/** Ensures that the host has the image, and installs it from the promoted copy if it is missing. */
export const regionalReadback: Step<Pick<Built, 'layer'>, void> = {
  name: 'regional_readback',
  stage: 'regional_readback',
  async run({ request, tools: { executor, storage } }, { layer }) {
    if (await executor.hasImage(layer.diffId)) return
    await executor.installImage(layer.diffId, await openLayer(storage, request.versionId, layer.digest))
  },
}
