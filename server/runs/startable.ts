import { CodedError } from '../base/coded-error.ts'
import type { RunnableVersion } from '../environments/ready-versions.ts'
import { effectiveRegions } from '../settings/company-policy.ts'
import { requireBundleRunner } from '../tasks/bundle-runner.ts'
import type { Deployment } from './queue-policy.ts'

type Standing = Pick<RunnableVersion, 'security_state' | 'layer_digest' | 'runner_approved'>

/**
 * The environment version that a run is to stand on. Throws `version_not_runnable` when it is blocked or has no image,
 * and `task_bundle_runner_unsupported` when its runner delivers no bundles and the version has one.
 */
export function requireStartable<Environment extends Standing>(
  version: { bundle_id: string | null },
  environment: Environment | undefined,
): Environment {
  const startable = environment?.security_state === 'clear' && environment.layer_digest !== null
  if (!environment || !startable) throw new CodedError('version_not_runnable')
  requireBundleRunner(version, environment)
  return environment
}

/** Throws `no_active_region` when the company allows runs nowhere in this deployment. */
export function requireRegion(
  policy: { allowedRegions: readonly string[] | undefined },
  deployment: Deployment,
): void {
  if (effectiveRegions(policy, deployment).length === 0) throw new CodedError('no_active_region')
}
