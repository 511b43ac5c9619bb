import { CodedError } from '../../base/errors/coded-error.ts'
import type { RunnableVersion } from '../../environments/versions/ready-versions.ts'
import type { TaskVersionRow } from './task-version-store.ts'

/** The runner delivers a bundle, so its release must be approved. Throws `task_bundle_runner_unsupported`. */
export function requireBundleRunner(
  version: Pick<TaskVersionRow, 'bundle_id'>,
  environment: Pick<RunnableVersion, 'runner_approved'>,
): void {
  if (version.bundle_id !== null && !environment.runner_approved) {
    throw new CodedError('task_bundle_runner_unsupported')
  }
}
