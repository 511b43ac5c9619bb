import { isDeepStrictEqual } from 'node:util'
import { readOrigins } from '../../builder/build-origins.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Built } from './built.ts'
import type { Keyed } from './image-inputs.ts'
import type { StagesReady } from './load-cached-stages.ts'
import type { BasesPulled } from './pull-base-images.ts'
import type { BuilderEnded } from './run-builder.ts'

type Needs = Validated & BasesPulled & Keyed & StagesReady & BuilderEnded

/** Reads the digests of the images that the builder used, and compares them with its input, since they are attested. */
export const checkOrigins: Step<Needs, Pick<Built, 'builderVersion' | 'baseImages'> & Keyed> = {
  name: 'check_origins',
  stage: 'customer_build',
  async run({ request, tools }, values) {
    const { bases, cachedStages, imageKey, printedBytes: skippedBytes, pulled, sandboxId } = values
    const log = await tools.executor.log(sandboxId)
    const origins = await readOrigins(log, { bases, stages: cachedStages.length, skippedBytes })
    if (!origins) {
      // The text is not the operator's to read.
      const { start: droppedBytes, bytes } = await tools.executor.logSince(sandboxId, 0)
      const found = {
        attempt: request.attemptId,
        sandboxId,
        skippedBytes,
        droppedBytes,
        logBytes: bytes.length,
      }
      tools.log.error(found, 'the log of a builder does not begin with its version and its base images')
      throw new BuildFailed('platform_failed', 'builder_unknown')
    }
    const { baseImages, builderVersion, stages } = origins
    if (cachedStages.some(({ stage, manifestDigest }) => stages.get(stage) !== manifestDigest)) {
      throw new BuildFailed('platform_failed', 'prefix_changed')
    }
    for (const { name, digest } of pulled) {
      const built = baseImages.find((base) => base.name === name)
      // A builder of an earlier worker may have got another digest for the same name.
      if (built?.digest !== digest) throw new BuildFailed('platform_failed', 'base_image_changed')
    }
    // The operator may have replaced a base image in between; then the image does not match its key.
    const isAsKeyed = isDeepStrictEqual(imageKey?.baseImages, baseImages)
    return { builderVersion, baseImages, imageKey: isAsKeyed ? imageKey : undefined }
  },
}
