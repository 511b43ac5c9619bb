import type { AllowList } from '../../../agent/port/allow-list.ts'
import type { PackageMirror } from '../../../agent/port/package-mirror.ts'
import type { Builder, Runner } from '../../../agent/port/platform.ts'
import type { SandboxNetwork } from '../../../agent/port/sandbox-spec.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import type { NamedDigest } from '../../images/provenance/statement.ts'
import type { BuildRequest } from '../request/build-request.ts'

/** Everything that the image of a build and the results of its chain depend on. */
export interface BuildInputs {
  request: Pick<BuildRequest, 'buildProfile' | 'resourceProfile' | 'isolation'>
  /** Of the archive's content, including the Dockerfile. */
  contextDigest: string
  /** Every base image that a stage starts or copies from. */
  baseImages: readonly NamedDigest[]
  toolchainDigest: string
  programDigest: string
  runner: Runner
  reach: Reach
}

/** Destinations that the build's steps may reach; the caps on bytes do not change a result. */
export type Reach = 'none' | 'public' | AllowList | { hosts: 'public' | AllowList; mirrors: MirrorSources }

/** The addresses of the mirrors by name. A changed login or authority changes no result. */
type MirrorSources = Record<string, string>

export function reachOf(network: SandboxNetwork, mirrors: readonly PackageMirror[]): Reach {
  if (network === 'none') return 'none'
  const hosts = network.allow ?? 'public'
  if (mirrors.length === 0) return hosts
  return { hosts, mirrors: Object.fromEntries(mirrors.map(({ name, source }) => [name, source])) }
}

/** The key under which a ready image is found again, and its inputs. */
export interface ImageKey {
  key: string
  baseImages: NamedDigest[]
  toolchainDigest: string
  reach: Reach
}

/** Equal for builds with the same result. The company is not part of the key; every query names it separately. */
export const buildKey = (inputs: BuildInputs): string =>
  canonicalDigest({
    context: inputs.contextDigest,
    base_images: Object.fromEntries(inputs.baseImages.map(({ name, digest }) => [name, digest])),
    build_profile: inputs.request.buildProfile,
    resource_profile: inputs.request.resourceProfile,
    isolation: inputs.request.isolation,
    toolchain: inputs.toolchainDigest,
    program: inputs.programDigest,
    network: inputs.reach,
    runner: {
      layer: inputs.runner.layerDigest,
      abi_revision: inputs.runner.abiRevision,
      policy: inputs.runner.policyDigest,
    },
  })

/**
 * Resolves the references of the Dockerfile as the builder will: to pulled images, or to images in the builder's store.
 * Undefined when one is not found by its name: the builder may still find it, and then prints its digest before the first
 * step.
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
