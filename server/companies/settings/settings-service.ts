import { regionalCapacityGraceDays } from '@sandbox-jobs/contract/limits.ts'
import {
  type CompanySettings,
  type CompanySettingsUpdate,
  notGoverned,
} from '@sandbox-jobs/contract/resources/companies/company-settings.ts'
import type { Deployment, RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { problemOf, ValidationError } from '../../base/errors/validation-error.ts'
import { readPricing } from '../../billing/prices/pricing.ts'
import type { Database, Executing } from '../../db/database.ts'
import { newSettings, selectableRegions } from './company-policy.ts'
import { findSettings, insertMissingSettings, replaceSettings, type SettingsRow } from './settings-store.ts'

/** Dependencies of the use cases in this folder. */
export interface SettingsContext {
  db: Database
  clock: Clock
  deployment: Deployment
  /** The operator's setting for all companies. */
  runtimeEgress: boolean
}

/** Settings of the caller's company. The first read stores the defaults. Plain 403 for roles below company manager. */
export async function readSettings(context: SettingsContext, principal: Principal): Promise<CompanySettings> {
  authorize(principal, 'settings.manage', ownCompany)
  const found = await findSettings(context.db, principal.companyId)
  const row = found ?? (await storeDefaults(context, context.db, principal.companyId))
  return render(context, row)
}

/**
 * Replaces the tenant's settings if `policy_version` is the current version. Otherwise throws
 * `policy_version_conflict` and changes nothing (contract part 1, "Company settings").
 */
export async function updateSettings(
  context: SettingsContext,
  principal: Principal,
  update: CompanySettingsUpdate,
): Promise<CompanySettings> {
  authorize(principal, 'settings.manage', ownCompany)
  requireSelectable(update.allowed_regions, selectableRegions(context.deployment))
  const { companyId } = principal
  const row = await context.db.transaction().execute(async (trx) => {
    await storeDefaults(context, trx, companyId)
    const replaced = await replaceSettings(
      trx,
      { companyId, expected: update.policy_version },
      {
        run_content_retention_days: update.run_content_retention_days,
        unreferenced_image_retention_days: update.unreferenced_image_retention_days,
        allowed_regions: update.allowed_regions,
        updated_at: context.clock.now(),
      },
    )
    if (!replaced) throw new CodedError('policy_version_conflict')
    return replaced
  })
  return render(context, row)
}

function requireSelectable(wanted: readonly RegionCode[], selectable: readonly RegionCode[]): void {
  const problems = wanted.flatMap((code, index) =>
    selectable.includes(code)
      ? []
      : [
          problemOf(['body', 'allowed_regions', index], {
            type: 'enum',
            words: 'is not a selectable region',
          }),
        ],
  )
  if (problems.length > 0) throw new ValidationError(problems)
}

/** Creates the row of a company that has none. Returns the stored row. */
async function storeDefaults(
  { deployment }: SettingsContext,
  db: Executing,
  companyId: string,
): Promise<SettingsRow> {
  await insertMissingSettings(db, newSettings(companyId, deployment))
  const row = await findSettings(db, companyId)
  if (!row) throw new Error('settings that were just stored are gone')
  return row
}

async function render(context: SettingsContext, row: SettingsRow): Promise<CompanySettings> {
  const { deployment, runtimeEgress } = context
  const regions = selectableRegions(deployment)
  return {
    run_content_retention_days: row.run_content_retention_days,
    unreferenced_image_retention_days: row.unreferenced_image_retention_days,
    // Only codes from the contract are stored.
    allowed_regions: row.allowed_regions as RegionCode[],
    policy_version: row.policy_version,
    company_id: row.company_id,
    selectable_regions: regions,
    pricing: await readPricing(context.db, regions),
    runtime_egress_enabled: row.runtime_egress_enabled && runtimeEgress,
    timeout_ceiling_seconds: row.timeout_ceiling_seconds,
    active_environment_limit: row.active_environment_limit,
    capacity_retained_version_limit: row.capacity_retained_version_limit,
    placement_scope: 'runtime_execution_only',
    does_not_govern: [...notGoverned],
    residency_guaranteed: false,
    regional_job_capacity_grace_days_fixed: regionalCapacityGraceDays,
  }
}
