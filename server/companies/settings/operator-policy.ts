import {
  activeBuildLimitDefault,
  networkCacheDaysDefault,
  onPremisesCompanyQueueLimitDefault,
  queuedBuildLimitDefault,
  queuedRunLimitDefault,
  runConcurrencyDefault,
} from '@sandbox-jobs/contract/limits.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Database } from '../../db/database.ts'
import { findCompanyId } from '../companies.ts'
import { storeDefaults } from './settings-service.ts'
import { type OperatorColumns, type SettingsRow, setOperatorColumns } from './settings-store.ts'

/** Limits that the operator sets for a company. No tenant route writes them. */
export interface OperatorPolicy {
  company_id: string
  runtime_egress_enabled: boolean
  timeout_ceiling_seconds: number
  active_environment_limit: number
  capacity_retained_version_limit: number
  run_concurrency_limit: number
  /** Runs with a longer timeout start one at a time. Null: no such limit. */
  run_timeout_bound_seconds: number | null
  /** The effective limit: the configured value, or the deployment's limit per company if that is lower. */
  queued_run_limit: number
  active_build_limit: number
  queued_build_limit: number
  /** Null: the default of the deployment. */
  kept_bytes_limit: number | null
  /** Days that cached results of build steps with a network are reused. */
  network_cache_days: number
}

interface OperatorContext {
  db: Database
  deployment: Deployment
}

/**
 * Changes the given fields of a company, identified by id or name, and keeps the others. Undefined if the company
 * does not exist.
 */
export async function setOperatorPolicy(
  { db, deployment }: OperatorContext,
  company: string,
  changes: OperatorColumns,
): Promise<OperatorPolicy | undefined> {
  const id = await findCompanyId(db, company)
  if (id === undefined) return undefined
  return db.transaction().execute(async (trx) => {
    const row = await storeDefaults({ deployment }, trx, id)
    const stored = Object.keys(changes).length === 0 ? row : await setOperatorColumns(trx, id, changes)
    return render(stored, deployment)
  })
}

const render = (row: SettingsRow, deployment: Deployment): OperatorPolicy => ({
  company_id: row.company_id,
  runtime_egress_enabled: row.runtime_egress_enabled,
  timeout_ceiling_seconds: row.timeout_ceiling_seconds,
  active_environment_limit: row.active_environment_limit,
  capacity_retained_version_limit: row.capacity_retained_version_limit,
  run_concurrency_limit: row.run_concurrency_limit ?? runConcurrencyDefault,
  run_timeout_bound_seconds: row.run_timeout_bound_seconds,
  queued_run_limit: Math.min(
    row.queued_run_limit ?? queuedRunLimitDefault,
    deployment === 'onprem' ? onPremisesCompanyQueueLimitDefault : Number.POSITIVE_INFINITY,
  ),
  active_build_limit: row.active_build_limit ?? activeBuildLimitDefault,
  queued_build_limit: row.queued_build_limit ?? queuedBuildLimitDefault,
  kept_bytes_limit: row.kept_bytes_limit,
  network_cache_days: row.network_cache_days ?? networkCacheDaysDefault,
})
