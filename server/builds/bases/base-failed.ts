import type { BuildErrorCode } from '@sandbox-jobs/contract/resources/build-failure.ts'
import { BuildFailed } from '../build-failed.ts'

/** Why a base image cannot be built on: under which code that ends, and what the author reads in the build log. */
const baseFailures = {
  base_image_unavailable: {
    code: 'dockerfile_exit',
    why: 'is not on this deployment, and its registry did not give all of it: it is not there, wants a login, or cannot be reached.',
  },
  no_registry: {
    code: 'dockerfile_exit',
    detail: 'base_image_unavailable',
    why: 'is not on this deployment. Its name has no host, and the operator has set no registry for such names (SANDBOX_REGISTRY).',
  },
  base_registry_forbidden: {
    code: 'policy_reject',
    why: 'is in a registry that the operator does not allow (SANDBOX_PUBLIC_REGISTRIES).',
  },
  base_registry_address: {
    code: 'policy_reject',
    why: 'leads to an address that builds may not reach: only public ones are open.',
  },
  registry_files_unreadable: {
    code: 'identity_config',
    why: 'is in a registry whose login or authority cannot be read (SANDBOX_REGISTRY_LOGIN_FILE, SANDBOX_REGISTRY_CA_FILE).',
  },
  builder_outdated: {
    code: 'identity_config',
    why: 'cannot be pulled with this builder: the operator makes it anew with `sandbox operator toolchain install`.',
  },
  base_image_timeout: { code: 'build_timeout', why: 'did not come in time.' },
  base_manifest_unsupported: {
    code: 'policy_reject',
    why: 'has a manifest that is neither of OCI nor of Docker, version 2 schema 2.',
  },
  base_layer_unsupported: {
    code: 'policy_reject',
    why: 'has a layer that is no tar, plain or compressed with gzip, in the registry itself.',
  },
  base_platform_missing: { code: 'policy_reject', why: 'is not made for linux/amd64.' },
  base_image_malformed: { code: 'policy_reject', why: 'is not what its own documents say.' },
  base_digest_mismatch: {
    code: 'policy_reject',
    why: 'has other bytes than its digests say: the registry gave something else.',
  },
  base_user_invalid: { code: 'policy_reject', why: 'has a user that is not plainly a user.' },
  base_volume_invalid: {
    code: 'policy_reject',
    why: 'has volumes that are no plain paths, or are where the platform mounts.',
  },
  onbuild_forbidden: {
    code: 'policy_reject',
    why: 'has ONBUILD instructions, which are not allowed.',
  },
  base_image_too_large: {
    code: 'policy_reject',
    why: 'is too large: at most 127 layers and 4 GiB compressed, 10 GiB unpacked.',
  },
} as const satisfies Record<string, { code: BuildErrorCode; detail?: string; why: string }>

export type BaseProblem = keyof typeof baseFailures

export const isBaseProblem = (slug: string): slug is BaseProblem => Object.hasOwn(baseFailures, slug)

/** The end of a build for want of a base image; `explanation` is for the build log. */
export class BaseFailed extends BuildFailed {
  readonly explanation: string

  /** `name` as the Dockerfile has it. */
  constructor(name: string, problem: BaseProblem) {
    const { code, why, ...told } = baseFailures[problem]
    super(code, 'detail' in told ? told.detail : problem)
    this.name = 'BaseFailed'
    this.explanation = `base image ${name} ${why} (${problem})\n`
  }
}
