import type { Executing } from '../db/database.ts'
import type { ImageConfig } from '../db/tables/environments.ts'
import { findRunnableVersion } from './version-store.ts'

/** What another domain needs to know of a version before it pins or starts it. */
export interface RunnableVersion {
  id: string
  environment_id: string
  environment_name: string
  resource_profile: string
  state: string
  security_state: string
  /** sha256 of the flat layer that the executor starts; null before a build succeeded. */
  layer_digest: string | null
  image_config: ImageConfig | null
  promoted_digest: string | null
  runner_approved: boolean
}

/**
 * The version, whatever its state: the caller decides what it accepts. Versions of the company and curated
 * ones are found, nothing else. `security_state` is `blocked` as soon as the version or its environment is.
 */
export const getVersion = (
  db: Executing,
  companyId: string,
  versionId: string,
): Promise<RunnableVersion | undefined> => findRunnableVersion(db, companyId, versionId)
