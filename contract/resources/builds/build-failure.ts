import type { EnvironmentVersionState } from '../../states/environment-version-states.ts'
import type { TerminalClass } from '../../states/run-states.ts'

/** One kind of build failure. `error_detail` contains the exact rule as slugs joined with `;`. */
export interface BuildFailure {
  terminalClass: Exclude<TerminalClass, 'completed'>
  /** The resulting state of the version: a rejected context can only be replaced, other failures can be retried. */
  versionState: Extract<EnvironmentVersionState, 'rejected' | 'retryable_failed'>
  nextAction: string
}

/** `error_code` of a build attempt (contract part 1, "Build attempt"; part 3, D4). */
export const buildFailures = {
  context_invalid: {
    terminalClass: 'customer_failed',
    versionState: 'rejected',
    nextAction:
      'The build log says what is wrong with the archive or with the resulting image. Correct it, upload it again and create a new version.',
  },
  policy_reject: {
    terminalClass: 'customer_failed',
    versionState: 'rejected',
    nextAction:
      'The build log says which line of the Dockerfile breaks which rule. Change it, upload it again and create a new version.',
  },
  dockerfile_exit: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction:
      'A step of the Dockerfile failed; the build log says which. Correct it in a new version. The end of the log lists the hosts that it was refused.',
  },
  build_timeout: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction: 'The build ran out of time. Make it shorter or use a larger build profile.',
  },
  build_out_of_memory: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction: 'The build ran out of memory. Use a larger build profile.',
  },
  build_disk_full: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction: 'The build ran out of disk. Write fewer files in each step or use a larger build profile.',
  },
  egress_cap_exceeded: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction: 'The build sent more bytes than the operator permits. Send less, or ask the operator.',
  },
  smoke_failed: {
    terminalClass: 'customer_failed',
    versionState: 'retryable_failed',
    nextAction:
      'The image was built but nothing starts in it. Check its base image and platform (linux/amd64).',
  },
  identity_config: {
    terminalClass: 'platform_failed',
    versionState: 'retryable_failed',
    nextAction: 'The deployment is not set up for builds. Ask the operator, then retry.',
  },
  platform_failed: {
    terminalClass: 'platform_failed',
    versionState: 'retryable_failed',
    nextAction: 'The platform failed during the build. Retry the build.',
  },
  tenant_cancel: {
    terminalClass: 'cancelled',
    versionState: 'retryable_failed',
    nextAction: 'The build was cancelled. Retry it when you are ready.',
  },
} as const satisfies Record<string, BuildFailure>

export type BuildErrorCode = keyof typeof buildFailures

/** Advice of single rules, which is more specific than the advice of their code. */
const nextActionsByRule: Record<string, string> = {
  base_image_unavailable:
    'The build log says which base image is missing and why. Name one that its registry has, start from scratch or a curated image, or ask the operator.',
  base_name_unknown: 'The registry has no image of that name. Correct the name in the Dockerfile.',
  base_tag_unknown: 'The registry has the image, but not with that tag or digest. Name one that it has.',
  base_login_required:
    'The base image is private, or its name is wrong. Correct the name, or ask the operator for a registry with a login.',
  base_registry_unreachable:
    'The registry of the base image cannot be reached. Check the host in its name, retry the build later, or ask the operator.',
  base_rate_limited:
    'The registry limits pulls; the build log says when it takes more. Retry the build then, or ask the operator for a mirror.',
  base_registry_forbidden:
    'Start from an image in the registry of this deployment, from scratch or a curated image, or ask the operator.',
  path_not_utf8:
    'The build log names a file whose name is not UTF-8, as in zips of Windows Explorer. Rename it with ASCII letters, or pack with tar or 7-Zip (parameter cu=on), upload it again and create a new version.',
  dockerfile_missing:
    'Put a file named Dockerfile at the top of the archive, not in a folder of it, upload it again and create a new version.',
  context_missing: 'Upload an archive and create a version from its owned_object_id.',
  image_user_unknown:
    'The USER of the Dockerfile is not in /etc/passwd of the image, or its group not in /etc/group. Add it there, or give its number.',
  image_shell_fails:
    'The /bin/sh of the image does not start. Check what the Dockerfile copies over /bin, /lib and /lib64, and that its programs are for linux/amd64.',
  image_shell_missing:
    'The image has /usr/bin/sh, but no /bin/sh: something took the place of the link /bin. Copy into /usr/bin instead.',
  image_user_out_of_range:
    'The USER of the Dockerfile, or its group, is not below 65536. Give it another number.',
  image_user_invalid:
    'The USER of the Dockerfile is not valid: use a name or a number, optionally followed by a colon and a group. Change it, upload it again and create a new version.',
  image_env_too_large:
    'The image sets more than 200 variables or 64 KiB of them. Set fewer by ENV, upload it again and create a new version.',
  image_workspace_filled:
    'The image has files below /workspace, where a run has a disk of its own that hides them; the build log names one. Put them elsewhere, for example below WORKDIR /app, upload it again and create a new version.',
  image_too_large:
    'The image is larger than 10 GiB. Make it smaller, upload it again and create a new version.',
  collection_timeout:
    'The host was too slow to copy the result of the build. Retry the build; if it fails so again, ask the operator.',
  storage_quota_exceeded:
    'The storage quota of the company has no room for the image. Remove images or old content of runs, then retry the build.',
  staging_slot_exhausted:
    'Unfinished uploads use all staging slots of the company, so the scan could not store its report. Complete or abort some, then retry the build.',
}

/** Advice for a failed build. `detail` is its `error_detail`, empty for callers that may not see it. */
export const buildNextAction = (code: BuildErrorCode, detail: string): string =>
  nextActionsByRule[detail.split(';')[0] ?? ''] ?? buildFailures[code].nextAction
