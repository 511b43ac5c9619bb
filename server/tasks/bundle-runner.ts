import { CodedError } from '../base/coded-error.ts'
import type { RunnableVersion } from '../environments/ready-versions.ts'
import type { TaskVersionRow } from './task-version-store.ts'

/** A bundle is delivered by the runner: one of an approved release. Throws `task_bundle_runner_unsupported`. */
export function requireBundleRunner(
  version: Pick<TaskVersionRow, 'bundle_id'>,
  environment: Pick<RunnableVersion, 'runner_approved'>,
): void {
  if (version.bundle_id !== null && !environment.runner_approved) {
    throw new CodedError('task_bundle_runner_unsupported')
  }
}
