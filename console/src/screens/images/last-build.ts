import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import type { BuildParams } from '../../data/authoring/environments.ts'

/** The build that made the image of a version, if one did. */
export const lastBuildOf = (version: EnvironmentVersion): BuildParams => ({
  id: version.environment_id,
  vid: version.id,
  aid: version.last_build_attempt_id,
})
