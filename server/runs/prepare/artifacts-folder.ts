import { artifactsDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'

/**
 * Where the artifacts of runs that come by a door of this kind are: programs for LibreChat have them in a folder `data`, whose parent
 * is then also at `/mnt` (`doors/programs/shared-folder.ts`), and a link in the usual place.
 */
export const libreChatArtifactsDir = `${workspaceDir}/mnt/data`

/** The folder that is collected. `doorKind`: null for a run that did not come by a door. */
export const collectedArtifactsDir = (doorKind: string | null): string =>
  doorKind === 'librechat' ? libreChatArtifactsDir : artifactsDir
