import {
  activeBuildLimitDefault,
  networkCacheDaysDefault,
  onPremisesCompanyQueueLimitDefault,
  queuedBuildLimitDefault,
  queuedRunLimitDefault,
  runConcurrencyDefault,
} from '@sandbox-jobs/contract/limits.ts'
import {
  type CompanyLimits,
  type LimitChanges,
  limitMax,
} from '@sandbox-jobs/contract/operator/company-limits.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Database } from '../../db/database.ts'
import { findCompanyId } from '../companies.ts'
import { defaultSettings, newSettings } from './company-policy.ts'
import {
  findOperatorColumns,
  insertMissingSettings,
  type OperatorRow,
  setOperatorColumns,
} from './settings-store.ts'

export interface OperatorPolicy extends CompanyLimits {
  company_id: string
}

export interface OperatorContext {
  db: Database
  deployment: Deployment
}

/** The limits of a company, with the defaults for those that the operator has not set. */
export async function readOperatorPolicy(
  { db, deployment }: OperatorContext,
  companyId: string,
): Promise<OperatorPolicy> {
  return render(companyId, (await findOperatorColumns(db, companyId)) ?? unset, deployment)
}

/**
 * Changes the given fields of a company, identified by id or name, and keeps the others. Undefined if the company
 * does not exist.
 */
export async function setOperatorPolicy(
  { db, deployment }: OperatorContext,
  company: string,
  changes: LimitChanges,
): Promise<OperatorPolicy | undefined> {
  const id = await findCompanyId(db, company)
  if (id === undefined) return undefined
  return db.transaction().execute(async (trx) => {
    await insertMissingSettings(trx, newSettings(id, deployment))
    return render(id, await setOperatorColumns(trx, id, changes), deployment)
  })
}

/** The deployment's limit per company: one that is set higher has no effect. */
export const queuedRunLimitMax = (deployment: Deployment): number =>
  deployment === 'onprem' ? onPremisesCompanyQueueLimitDefault : limitMax.queued_run_limit

const unset: OperatorRow = {
  ...defaultSettings,
  runtime_egress_enabled: true,
  run_concurrency_limit: null,
  queued_run_limit: null,
  active_build_limit: null,
  queued_build_limit: null,
  run_timeout_bound_seconds: null,
  kept_bytes_limit: null,
  network_cache_days: null,
}

const render = (companyId: string, row: OperatorRow, deployment: Deployment): OperatorPolicy => ({
  company_id: companyId,
  runtime_egress_enabled: row.runtime_egress_enabled,
  timeout_ceiling_seconds: row.timeout_ceiling_seconds,
  active_environment_limit: row.active_environment_limit,
  capacity_retained_version_limit: row.capacity_retained_version_limit,
  run_concurrency_limit: row.run_concurrency_limit ?? runConcurrencyDefault,
  run_timeout_bound_seconds: row.run_timeout_bound_seconds,
  queued_run_limit: Math.min(row.queued_run_limit ?? queuedRunLimitDefault, queuedRunLimitMax(deployment)),
  active_build_limit: row.active_build_limit ?? activeBuildLimitDefault,
  queued_build_limit: row.queued_build_limit ?? queuedBuildLimitDefault,
  kept_bytes_limit: row.kept_bytes_limit,
  network_cache_days: row.network_cache_days ?? networkCacheDaysDefault,
})
