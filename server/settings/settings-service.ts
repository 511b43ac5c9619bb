import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { regionalCapacityGraceDays } from '@sandbox-jobs/contract/limits.ts'
import {
  type CompanySettings,
  type CompanySettingsUpdate,
  notGoverned,
} from '@sandbox-jobs/contract/resources/company-settings.ts'
import type { Deployment, RegionCode } from '@sandbox-jobs/contract/resources/region.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/coded-error.ts'
import { PlainError } from '../base/plain-error.ts'
import { problemOf, ValidationError } from '../base/validation-error.ts'
import type { Database, Executing } from '../db/database.ts'
import { isRestricted, managesCompany, type Principal } from '../platform/principal.ts'
import { defaultSettings, selectableRegions } from './default-settings.ts'
import { nominalPricing } from './nominal-pricing.ts'
import { findSettings, insertMissingSettings, replaceSettings, type SettingsRow } from './settings-store.ts'

/** What the use cases of this folder work with. */
export interface SettingsContext {
  db: Database
  clock: Clock
  deployment: Deployment
  /** The operator's switch for all companies. */
  runtimeEgress: boolean
}

/** The settings of the caller's company; the first read stores the defaults. Plain 403 below company manager. */
export async function readSettings(context: SettingsContext, principal: Principal): Promise<CompanySettings> {
  requireCompanyManager(principal)
  const found = await findSettings(context.db, principal.companyId)
  const row = found ?? (await storeDefaults(context, context.db, principal.companyId))
  return render(row, context)
}

/**
 * Replaces what a company settles for itself, if `policy_version` is the one in place; else throws
 * `policy_version_conflict` and changes nothing (contract part 1, "Company settings").
 */
export async function updateSettings(
  context: SettingsContext,
  principal: Principal,
  update: CompanySettingsUpdate,
): Promise<CompanySettings> {
  requireCompanyManager(principal)
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
  return render(row, context)
}

function requireCompanyManager(principal: Principal): void {
  if (managesCompany(principal) && !isRestricted(principal)) return
  throw new PlainError(uncoded.role_too_low.status, uncoded.role_too_low.detail)
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

/** Makes the row of a company that has none, and answers the row in place. */
export async function storeDefaults(
  context: Pick<SettingsContext, 'deployment'>,
  db: Executing,
  companyId: string,
): Promise<SettingsRow> {
  const allowed_regions = selectableRegions(context.deployment)
  await insertMissingSettings(db, { company_id: companyId, ...defaultSettings, allowed_regions })
  const row = await findSettings(db, companyId)
  if (!row) throw new Error('settings that were just stored are gone')
  return row
}

function render(row: SettingsRow, { deployment, runtimeEgress }: SettingsContext): CompanySettings {
  const regions = selectableRegions(deployment)
  return {
    run_content_retention_days: row.run_content_retention_days,
    unreferenced_image_retention_days: row.unreferenced_image_retention_days,
    // Only codes of the contract are ever stored.
    allowed_regions: row.allowed_regions as RegionCode[],
    policy_version: row.policy_version,
    company_id: row.company_id,
    selectable_regions: regions,
    pricing: nominalPricing(regions),
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
