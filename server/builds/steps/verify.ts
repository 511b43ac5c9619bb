import { installedDigest } from '../../images/image-documents.ts'
import { installLayers } from '../../images/install-layers.ts'
import { layerKey, storedLayout } from '../../images/oci-layout.ts'
import { composedDigest } from '../../images/provenance/statement.ts'
import { ImageUntrusted, verifyLayers } from '../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../images/provenance/verify-stored.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { Attested } from './attest.ts'
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

/** The oldest runner on which this release starts jobs. */
const oldestAbiRevision = 1

interface RunnerChecked {
  runnerRelease: string
}

type Needs = Pick<Built, 'layers'> & Pick<Attested, 'composedDigest'>

/** Checks that the runner is the one that the image was tested and attested with, and not too old. */
export const runnerFloor: Step<Needs, RunnerChecked> = {
  name: 'runner_floor',
  stage: 'runner_floor',
  async run({ tools }, { layers, composedDigest: attested }) {
    const runner = await tools.executor.runner()
    if (runner.abiRevision < oldestAbiRevision) throw new BuildFailed('platform_failed', 'runner_too_old')
    if (composedDigest(layers, runner) !== attested) {
      // The chain runs again, on the current runner.
      throw new Error('the runner was replaced during the build')
    }
    return { runnerRelease: await tools.runners.record(runner) }
  },
}

/** Ensures that the host has the image, and installs what is missing of it from the promoted copy. */
export const regionalReadback: Step<Pick<Built, 'layers'>, void> = {
  name: 'regional_readback',
  stage: 'regional_readback',
  async run({ request, tools: { executor, storage } }, { layers }) {
    await installLayers(executor, layers, ({ digest }) => storage.get(layerKey(request.versionId, digest)))
  },
}
