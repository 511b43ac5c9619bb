import { ExecutorRefused } from '../../../../agent/port/errors.ts'
import type { PackageMirror } from '../../../../agent/port/package-mirror.ts'
import type { SandboxNetwork } from '../../../../agent/port/sandbox-spec.ts'
import { settleAll } from '../../../base/settle-all.ts'
import { buildKey, type ImageKey, reachOf, resolveBases } from '../../cache/build-key.ts'
import { networkOfBuilds } from '../../network/build-network.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { BasesPulled } from './pull-base-images.ts'

export interface NetworkChosen {
  /** Destinations that the steps of the Dockerfile may reach. */
  network: SandboxNetwork
  /** The operator's package mirrors among that. */
  mirrors: PackageMirror[]
}

/** Decides by the operator's settings what the build's steps may reach, once for all its sandboxes and its cache keys. */
export const chooseNetwork: Step<object, NetworkChosen> = {
  name: 'choose_network',
  stage: 'customer_build',
  async run(build) {
    const { request, tools } = build
    const mirrors = tools.network.buildNetwork === 'none' ? [] : await declaredMirrors(build)
    try {
      return { network: await networkOfBuilds(tools.network, mirrors), mirrors }
    } catch (error) {
      tools.log.error({ err: error, attempt: request.attemptId }, 'the list of package hosts cannot be used')
      throw new BuildFailed('identity_config', 'package_hosts_unreadable')
    }
  },
}

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

async function declaredMirrors({ request, tools }: Build): Promise<PackageMirror[]> {
  try {
    return await tools.executor.mirrors()
  } catch (error) {
    if (!(error instanceof ExecutorRefused)) throw error
    tools.log.error({ err: error, attempt: request.attemptId }, 'the package mirrors cannot be used')
    throw new BuildFailed('identity_config', 'package_mirrors_unreadable')
  }
}
