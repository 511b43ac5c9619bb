import { settleAll } from '../../../base/settle-all.ts'
import { buildKey, type ImageKey, reachOf, resolveBases } from '../../cache/build-key.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { NetworkChosen } from './choose-network.ts'
import type { BasesPulled } from './pull-base-images.ts'

export interface Keyed {
  /** Undefined if the digest of a base image is unknown; then the image is not cached. */
  imageKey: ImageKey | undefined
}

/** Computes one key over all inputs of the image. */
export const computeImageKey: Step<Validated & BasesPulled & NetworkChosen, Keyed> = {
  name: 'compute_image_key',
  stage: 'customer_build',
  async run({ request, tools }, { bases, pulled, network, mirrors, canonicalDigest: contextDigest }) {
    const [builder, runner] = await settleAll([tools.executor.builder(), tools.executor.runner()])
    const baseImages = resolveBases(bases, builder, pulled)
    if (!baseImages) return { imageKey: undefined }
    const { toolchainDigest } = builder
    const { programDigest } = tools.builder
    const inputs = { request, contextDigest, baseImages, toolchainDigest, programDigest, runner }
    const reach = reachOf(network, mirrors)
    const key = buildKey({ ...inputs, reach })
    return { imageKey: { key, baseImages, toolchainDigest, reach } }
  },
}
