import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { findEnvironment } from './find-environment.ts'

/** A version as `ENVIRONMENT@VERSION`: the environment by name or id, the version by number or id. */
export async function findVersion(session: Session, wanted: string): Promise<EnvironmentVersion> {
  const at = wanted.lastIndexOf('@')
  if (at < 1) {
    throw new CliError(`${wanted} is not a version.`, {
      hint: 'Use ENVIRONMENT@VERSION, such as python@3; sandbox env list shows the environments.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
  const { id } = await findEnvironment(session, wanted.slice(0, at))
  const version = wanted.slice(at + 1)
  const versions = await allPages((query) =>
    session.client.call(allRoutes.listEnvironmentVersions, { params: { id }, query }),
  )
  const found = versions.find((item) => item.id === version || String(item.version_number) === version)
  if (found) return found
  throw new CliError(`The environment has no version ${version}.`, {
    hint: `It has ${versions.map((item) => item.version_number).join(', ') || 'none'}.`,
    code: 'cli_unknown_name',
  })
}
