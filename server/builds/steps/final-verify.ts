import { BuildFailed } from '../build-failed.ts'
import { LayoutBroken, verifyLayout } from '../oci-layout.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** Reads the promoted image back by its digest: manifest, configuration and every byte of the layer. */
export const finalVerify: BuildStep = {
  stage: 'final_verify',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    try {
      const stored = await verifyLayout(
        build.tools.storage,
        build.order.versionId,
        found(build, 'promotedDigest'),
      )
      if (stored.diffId !== found(build, 'layer').diffId) throw new LayoutBroken('diff id')
    } catch (error) {
      throw error instanceof LayoutBroken ? new BuildFailed('platform_failed', 'stored_image_damaged') : error
    }
  },
}
