import { openLayer } from '../oci-layout.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** The place that runs it has the image under its digest, from the promoted copy if it lost its own. */
export const regionalReadback: BuildStep = {
  stage: 'regional_readback',
  attemptStates: [],
  versionStates: ['verified', 'regional_provisioning'],
  async run(build: Build) {
    const { executor, storage } = build.tools
    const layer = found(build, 'layer')
    if (await executor.hasImage(layer.diffId)) return
    await executor.installImage(layer.diffId, await openLayer(storage, build.order.versionId, layer.digest))
  },
}
