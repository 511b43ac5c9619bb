import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { BuildReference } from '../push/build-reference.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { findEnvironment, listEnvironments } from './find-environment.ts'
import { findVersion } from './find-version.ts'

/** How commands name a build. */
export const buildArgument = 'ENVIRONMENT@VERSION, or the id of a version or of a build'

/** Finds a build by its version (then the latest one) or by its own id. */
export async function findBuild(
  session: Session,
  wanted: string,
  environment?: string,
): Promise<BuildReference> {
  if (wanted.includes('@')) {
    const version = await findVersion(session, wanted)
    return latestBuild(version.environment_id, version)
  }
  const environments =
    environment === undefined
      ? await listEnvironments(session)
      : [await findEnvironment(session, environment)]
  const own = environments.filter((environment) => environment.owner_kind === 'company')
  for (const { id } of own) {
    const versions = await allPages((query) =>
      session.client.call(allRoutes.listEnvironmentVersions, { params: { id }, query }),
    )
    const found = versions.find(
      (version) => version.id === wanted || version.last_build_attempt_id === wanted,
    )
    if (found) return latestBuild(id, found)
    const earlier = wanted.startsWith('bld_') && (await earlierBuild(session, { id, versions, wanted }))
    if (earlier) return earlier
  }
  throw new CliError(`There is no version or build ${wanted} that you can see.`, {
    hint: 'Use ENVIRONMENT@VERSION, such as python@3, or the id of a version (ver_…) or of a build (bld_…).',
    code: 'cli_unknown_name',
  })
}

interface Searched {
  id: string
  versions: EnvironmentVersion[]
  wanted: string
}

/** A build that is not the latest of its version. */
async function earlierBuild(
  { client }: Session,
  { id, versions, wanted }: Searched,
): Promise<BuildReference | undefined> {
  for (const { id: vid } of versions.filter((version) => version.last_build_attempt_id !== '')) {
    const builds = await allPages((query) =>
      client.call(allRoutes.listBuilds, { params: { id, vid }, query }),
    )
    if (builds.some((build) => build.id === wanted)) return { id, vid, aid: wanted }
  }
  return undefined
}

function latestBuild(id: string, version: EnvironmentVersion): BuildReference {
  if (version.last_build_attempt_id !== '') return { id, vid: version.id, aid: version.last_build_attempt_id }
  throw new CliError(`Version ${version.id} has not been built yet.`, {
    hint: version.build_next_action || 'Build it with sandbox env push.',
    code: 'cli_not_built',
  })
}
