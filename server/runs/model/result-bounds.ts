import { artifactBundleMaxBytes, artifactWorkspaceReserveBytes } from '@sandbox-jobs/contract/limits.ts'
import { defaultProfile, profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'

const mib = 1024 * 1024

/** Name of the output among a sandbox's collected files. */
export const outputName = 'output'

/** The size limit of artifacts is the same for every profile (contract part 1, "Runtime contract"). */
export const bundleMaxBytes = (): number =>
  Math.min(
    profileOf(defaultProfile).workspace_mib * mib - artifactWorkspaceReserveBytes,
    artifactBundleMaxBytes,
  )
