import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import { getVersion, type RunnableVersion } from '../../environments/versions/ready-versions.ts'
import type { TaskVersionRow } from './task-version-store.ts'

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

/** The runner delivers a bundle, so its release must be approved. Throws `task_bundle_runner_unsupported`. */
export function requireBundleRunner(
  version: Pick<TaskVersionRow, 'bundle_id'>,
  environment: Pick<RunnableVersion, 'runner_approved'>,
): void {
  if (version.bundle_id !== null && !environment.runner_approved) {
    throw new CodedError('task_bundle_runner_unsupported')
  }
}
