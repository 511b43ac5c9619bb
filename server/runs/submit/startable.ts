import { CodedError } from '../../base/errors/coded-error.ts'
import { effectiveRegions } from '../../companies/settings/company-policy.ts'
import type { RunnableVersion } from '../../environments/versions/ready-versions.ts'
import { requireBundleRunner } from '../../tasks/versions/ready-environment.ts'
import type { Deployment } from '../queue/queue-policy.ts'

type StartableFields = Pick<RunnableVersion, 'security_state' | 'layer_digest' | 'runner_approved'>

/**
 * The environment version that a run will use. Throws `version_not_runnable` if it is blocked or has no image, and
 * `task_bundle_runner_unsupported` if the task version has a bundle and the runner does not support bundles.
 */
export function requireStartable<Environment extends StartableFields>(
  version: { bundle_id: string | null },
  environment: Environment | undefined,
): Environment {
  const startable = environment?.security_state === 'clear' && environment.layer_digest !== null
  if (!environment || !startable) throw new CodedError('version_not_runnable')
  requireBundleRunner(version, environment)
  return environment
}

/** Throws `no_active_region` if the company allows runs in no region of this deployment. */
export function requireRegion(
  policy: { allowedRegions: readonly string[] | undefined },
  deployment: Deployment,
): void {
  if (effectiveRegions(policy, deployment).length === 0) throw new CodedError('no_active_region')
}

/** The refusal of a version for runs that nobody asks for, one by one. */
export type Unattended = 'custom_table_trigger_needs_confirmation' | 'schedule_needs_confirmation'

/** Throws the refusal if a person has to confirm each run (contract part 1, "Task version"). */
export function requireUnattended(version: { requires_confirmation: boolean }, refusal: Unattended): void {
  if (version.requires_confirmation) throw new CodedError(refusal)
}
