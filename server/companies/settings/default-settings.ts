import {
  activeEnvironmentLimitDefault,
  capacityRetainedVersionLimitDefault,
  imageRetentionDefaultDays,
  runContentRetentionDefaultDays,
  timeoutCeilingDefaultSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import {
  type Deployment,
  type RegionCode,
  regionsOf,
} from '@sandbox-jobs/contract/resources/environments/region.ts'

/** Settings of a company without a row (contract part 1, "Company settings"). */
export const defaultSettings = {
  run_content_retention_days: runContentRetentionDefaultDays,
  unreferenced_image_retention_days: imageRetentionDefaultDays,
  timeout_ceiling_seconds: timeoutCeilingDefaultSeconds,
  active_environment_limit: activeEnvironmentLimitDefault,
  capacity_retained_version_limit: capacityRetainedVersionLimitDefault,
} as const

/** Regions that settings may contain: those of the deployment. */
export const selectableRegions = (deployment: Deployment): RegionCode[] =>
  regionsOf(deployment).map((region) => region.code)
