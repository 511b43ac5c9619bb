import type { Executing } from '../../db/database.ts'
import type { ImageConfig } from '../../db/tables/environments.ts'
import { findRunnableVersion } from './version-store.ts'

/** Data about a version that other domains need before they pin or start it. */
export interface RunnableVersion {
  id: string
  environment_id: string
  environment_name: string
  resource_profile: string
  state: string
  security_state: string
  /** sha256 of the flat layer that the executor starts. Null until a build succeeds. */
  layer_digest: string | null
  image_config: ImageConfig | null
  promoted_digest: string | null
  runner_approved: boolean
}

/**
 * The version in any state; the caller decides which states it accepts. Finds only versions of the company and
 * curated ones. `security_state` is `blocked` if the version or its environment is blocked.
 */
export const getVersion = (
  db: Executing,
  companyId: string,
  versionId: string,
): Promise<RunnableVersion | undefined> => findRunnableVersion(db, companyId, versionId)
