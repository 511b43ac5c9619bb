import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import { getVersion, type RunnableVersion } from '../../environments/versions/ready-versions.ts'

/**
 * Requires a ready environment version of the company, or a curated one. Throws `not_found`,
 * `environment_version_not_ready`.
 */
export async function requireReadyEnvironment(
  db: Executing,
  companyId: string,
  environmentVersionId: string,
): Promise<RunnableVersion> {
  const version = await getVersion(db, companyId, environmentVersionId)
  if (!version) throw notFound()
  if (version.state !== 'ready' || version.security_state !== 'clear') {
    throw new CodedError('environment_version_not_ready')
  }
  return version
}
