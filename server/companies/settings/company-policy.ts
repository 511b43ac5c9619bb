import {
  activeEnvironmentLimitDefault,
  capacityRetainedVersionLimitDefault,
  imageRetentionDefaultDays,
  queuedBuildLimitDefault,
  runContentRetentionDefaultDays,
  timeoutCeilingDefaultSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import {
  type Deployment,
  type RegionCode,
  regionsOf,
} from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Executing } from '../../db/database.ts'
import { findSettings } from './settings-store.ts'

/** Limits of one company that other domains enforce. */
export interface CompanyPolicy {
  timeoutCeilingSeconds: number
  activeEnvironmentLimit: number
  capacityRetainedVersionLimit: number
  queuedBuildLimit: number
  /** If undefined, every region of the deployment is allowed. */
  allowedRegions: readonly string[] | undefined
}

/** Never writes: a company without a row has the defaults. */
export async function companyPolicy(db: Executing, companyId: string): Promise<CompanyPolicy> {
  const row = await findSettings(db, companyId)
  const settings = row ?? defaultSettings
  return {
    timeoutCeilingSeconds: settings.timeout_ceiling_seconds,
    activeEnvironmentLimit: settings.active_environment_limit,
    capacityRetainedVersionLimit: settings.capacity_retained_version_limit,
    queuedBuildLimit: row?.queued_build_limit ?? queuedBuildLimitDefault,
    allowedRegions: row?.allowed_regions,
  }
}

/**
 * Regions in which runs of the company may execute. Empty if the company allows only regions that the deployment does
 * not have, for example after a change of deployment (contract part 1, "Regions and profiles").
 */
export const effectiveRegions = (
  policy: Pick<CompanyPolicy, 'allowedRegions'>,
  deployment: Deployment,
): RegionCode[] =>
  selectableRegions(deployment).filter((code) => policy.allowedRegions?.includes(code) ?? true)

/** Settings of a company without a row (contract part 1, "Company settings"). */
export const defaultSettings = {
  run_content_retention_days: runContentRetentionDefaultDays,
  unreferenced_image_retention_days: imageRetentionDefaultDays,
  timeout_ceiling_seconds: timeoutCeilingDefaultSeconds,
  active_environment_limit: activeEnvironmentLimitDefault,
  capacity_retained_version_limit: capacityRetainedVersionLimitDefault,
} as const

/** The row of a company that has none yet. */
export const newSettings = (companyId: string, deployment: Deployment) => ({
  company_id: companyId,
  ...defaultSettings,
  allowed_regions: selectableRegions(deployment),
})

/** Regions that settings may contain: those of the deployment. */
export const selectableRegions = (deployment: Deployment): RegionCode[] =>
  regionsOf(deployment).map((region) => region.code)
