import { canonicalDigest } from '../../base/canonical-json.ts'
import type { Builder, Runner } from '../../executor/port.ts'
import type { NamedDigest } from '../provenance/statement.ts'
import type { BuildOrder } from '../steps/step.ts'

/** All that the image of a build, and what its chain found out about it, depends on. */
export interface BuildInputs {
  order: Pick<BuildOrder, 'buildProfile' | 'resourceProfile' | 'isolation'>
  /** Of the archive's content, the Dockerfile in it. */
  contextDigest: string
  /** Every image that a stage starts or copies from. */
  baseImages: readonly NamedDigest[]
  toolchainDigest: string
  programDigest: string
  runner: Runner
}

/** Equal for builds that need not be done twice; which company asks is no part of it, and always asked beside it. */
export const buildKey = (inputs: BuildInputs): string =>
  canonicalDigest({
    context: inputs.contextDigest,
    base_images: Object.fromEntries(inputs.baseImages.map(({ name, digest }) => [name, digest])),
    build_profile: inputs.order.buildProfile,
    resource_profile: inputs.order.resourceProfile,
    isolation: inputs.order.isolation,
    toolchain: inputs.toolchainDigest,
    program: inputs.programDigest,
    runner: {
      layer: inputs.runner.layerDigest,
      abi_revision: inputs.runner.abiRevision,
      policy: inputs.runner.policyDigest,
    },
  })

/**
 * The base images as the builder will find them, by the references of the Dockerfile: among those that were pulled for it,
 * or in its store. Undefined when one is not there under its name: the builder may know better, and then says so before
 * its first step.
 */
export function resolveBases(
  references: readonly string[],
  { baseImages }: Pick<Builder, 'baseImages'>,
  pulled: readonly NamedDigest[] = [],
): NamedDigest[] | undefined {
  const found = references.map((name) => {
    const own = pulled.find((base) => base.name === name)
    if (own) return { name, digest: own.digest }
    const tagged = /:[^/]+$/.test(name) ? name : `${name}:latest`
    const digest = baseImages.find(
      (image) => image.name === tagged || image.name === `localhost/${tagged}`,
    )?.digest
    return digest === undefined ? undefined : { name, digest }
  })
  return found.every((base) => base !== undefined) ? found : undefined
}
