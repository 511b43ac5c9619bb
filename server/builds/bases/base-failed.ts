import type { BuildErrorCode } from '@sandbox-jobs/contract/resources/builds/build-failure.ts'
import { BuildFailed } from '../request/build-failed.ts'

/** Reasons why a base image cannot be used: the error code of the build, and the text for the author in the build log. */
const baseFailures = {
  base_image_unavailable: {
    code: 'dockerfile_exit',
    why: 'is not on this deployment, and could not be pulled: the answers of the registry do not say why.',
  },
  base_name_unknown: {
    code: 'dockerfile_exit',
    why: 'is not on this deployment, and its registry has no image of that name.',
  },
  base_tag_unknown: {
    code: 'dockerfile_exit',
    why: 'has no such tag or digest: its registry has other versions of it.',
  },
  base_login_required: {
    code: 'dockerfile_exit',
    why: 'requires a login at its registry, or does not exist there.',
  },
  base_registry_unreachable: {
    code: 'dockerfile_exit',
    why: 'is in a registry that cannot be reached over HTTPS, or has no certificate of a known authority.',
  },
  base_rate_limited: {
    code: 'dockerfile_exit',
    why: 'could not be pulled: its registry limits how often this deployment may pull.',
  },
  no_registry: {
    code: 'dockerfile_exit',
    detail: 'base_image_unavailable',
    why: 'is not on this deployment. Its name has no host, and the operator allows no registry for such names (SANDBOX_REGISTRY).',
  },
  base_not_made: {
    code: 'dockerfile_exit',
    detail: 'base_image_unavailable',
    why: 'is not on this deployment.',
  },
  base_registry_forbidden: {
    code: 'policy_reject',
    why: 'is in a registry that the operator does not allow (SANDBOX_PUBLIC_REGISTRIES).',
  },
  base_registry_address: {
    code: 'policy_reject',
    why: 'resolves to an address that builds may not reach: only public addresses are allowed.',
  },
  registry_files_unreadable: {
    code: 'identity_config',
    why: 'is in a registry whose login or authority cannot be read (SANDBOX_REGISTRY_LOGIN_FILE, SANDBOX_REGISTRY_CA_FILE).',
  },
  builder_outdated: {
    code: 'identity_config',
    why: 'cannot be pulled with this builder: the operator has to install it again with `sandbox operator toolchain install`.',
  },
  base_image_timeout: { code: 'build_timeout', why: 'was not pulled in time.' },
  base_manifest_unsupported: {
    code: 'policy_reject',
    why: 'has a manifest that is neither OCI nor Docker version 2, schema 2.',
  },
  base_layer_unsupported: {
    code: 'policy_reject',
    why: 'has a layer that is not a plain or gzip-compressed tar in the registry itself.',
  },
  base_platform_missing: { code: 'policy_reject', why: 'is not available for linux/amd64.' },
  base_image_malformed: { code: 'policy_reject', why: 'does not match its own manifest and configuration.' },
  base_digest_mismatch: {
    code: 'policy_reject',
    why: 'does not match its digests: the registry sent other bytes.',
  },
  base_user_invalid: { code: 'policy_reject', why: 'has a user that is not a plain name or id.' },
  base_volume_invalid: {
    code: 'policy_reject',
    why: 'has volumes that are not plain paths, or that are at a mount point of the platform.',
  },
  onbuild_forbidden: {
    code: 'policy_reject',
    why: 'has ONBUILD instructions, which are not allowed.',
  },
  base_quota_exceeded: {
    code: 'build_disk_full',
    detail: 'storage_quota_exceeded',
    why: 'cannot be kept: the storage quota of the company has no room for it.',
  },
  base_image_too_large: {
    code: 'policy_reject',
    why: 'is too large: at most 127 layers and 4 GiB compressed, 10 GiB unpacked.',
  },
} as const satisfies Record<string, { code: BuildErrorCode; detail?: string; why: string }>

export type BaseProblem = keyof typeof baseFailures

export const isBaseProblem = (slug: string): slug is BaseProblem => Object.hasOwn(baseFailures, slug)

/** Ends a build whose base image cannot be used; `explanation` is for the build log. */
export class BaseFailed extends BuildFailed {
  readonly explanation: string

  /** `name` as written in the Dockerfile; `advice` is a sentence that this failure adds. */
  constructor(name: string, problem: BaseProblem, advice = '') {
    const { code, why, ...coded } = baseFailures[problem]
    super(code, 'detail' in coded ? coded.detail : problem)
    this.name = 'BaseFailed'
    this.explanation = `base image ${name} ${why}${advice && ` ${advice}`} (${problem})\n`
  }
}
