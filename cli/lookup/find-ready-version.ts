import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { findEnvironment } from './find-environment.ts'
import { findVersion } from './find-version.ts'

/** Id of the version `ENVIRONMENT@VERSION`, or of the current version of an environment by name or id. */
export async function findReadyVersion(session: Session, wanted: string): Promise<string> {
  if (wanted.includes('@')) return (await findVersion(session, wanted)).id
  const { name, current_version_id } = await findEnvironment(session, wanted)
  if (current_version_id !== null) return current_version_id
  throw new CliError(`${name} has no version that is ready.`, {
    hint: `sandbox env versions ${name} shows their states.`,
    code: 'cli_no_version',
  })
}
