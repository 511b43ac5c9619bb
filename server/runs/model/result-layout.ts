import { artifactBundleMaxBytes, artifactWorkspaceReserveBytes } from '@sandbox-jobs/contract/limits.ts'
import { defaultProfile, profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { artifactsDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'

const mib = 1024 * 1024

/** Name of the output among a sandbox's collected files. */
export const outputName = 'output'

/** Name of the mark of a workspace whose files are not all unpacked, where a folder is collected. */
export const unpackingName = 'unpacking'

/** The size limit of artifacts is the same for every profile (contract part 1, "Runtime contract"). */
export const bundleMaxBytes = (): number =>
  Math.min(
    profileOf(defaultProfile).workspace_mib * mib - artifactWorkspaceReserveBytes,
    artifactBundleMaxBytes,
  )

/**
 * Where the artifacts of runs that come by a door of this kind are: programs for LibreChat have them in a folder `data`, whose parent
 * is then also at `/mnt` (`doors/programs/shared-folder.ts`), and a link in the usual place.
 */
export const libreChatArtifactsDir = `${workspaceDir}/mnt/data`

/** The folder that is collected. `doorKind`: null for a run that did not come by a door. */
export const collectedArtifactsDir = (doorKind: string | null): string =>
  doorKind === 'librechat' ? libreChatArtifactsDir : artifactsDir
