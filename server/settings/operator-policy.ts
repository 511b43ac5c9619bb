import {
  activeBuildLimitDefault,
  onPremisesCompanyQueueLimitDefault,
  queuedBuildLimitDefault,
  queuedRunLimitDefault,
  runConcurrencyDefault,
} from '@sandbox-jobs/contract/limits.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/region.ts'
import type { Database } from '../db/database.ts'
import { findCompanyId } from '../platform/companies.ts'
import { storeDefaults } from './settings-service.ts'
import { type OperatorColumns, type SettingsRow, setOperatorColumns } from './settings-store.ts'

/** What the operator settles for a company; no tenant route writes it. */
export interface OperatorPolicy {
  company_id: string
  runtime_egress_enabled: boolean
  timeout_ceiling_seconds: number
  active_environment_limit: number
  capacity_retained_version_limit: number
  run_concurrency_limit: number
  /** Runs with a longer timeout start one at a time; null: all are alike. */
  run_timeout_bound_seconds: number | null
  /** As it is enforced: what was set, or what the deployment takes of one company where that is less. */
  queued_run_limit: number
  active_build_limit: number
  queued_build_limit: number
  /** Null: what the deployment has for all. */
  kept_bytes_limit: number | null
}

interface OperatorContext {
  db: Database
  deployment: Deployment
}

/** Changes what is named of a company, by its id or name, and leaves the rest; undefined: there is no such company. */
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
})
