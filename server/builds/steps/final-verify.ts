import { BuildFailed } from '../build-failed.ts'
import { ImageUntrusted } from '../provenance/verify-image.ts'
import { verifyStored } from '../provenance/verify-stored.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** Reads the promoted image back and proves it from the public keys alone, as anybody could: every byte of it. */
export const finalVerify: BuildStep = {
  stage: 'final_verify',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const { order, tools } = build
    try {
      await verifyStored(tools, {
        id: order.versionId,
        promotedDigest: found(build, 'promotedDigest'),
        layerDigest: found(build, 'layer').diffId,
      })
    } catch (error) {
      throw error instanceof ImageUntrusted ? new BuildFailed('platform_failed', error.slug) : error
    }
  },
}
