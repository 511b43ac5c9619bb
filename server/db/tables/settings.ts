import type { Generated } from 'kysely'

export interface CompanySettingsTable {
  company_id: string
  policy_version: Generated<number>
  run_content_retention_days: number
  unreferenced_image_retention_days: number
  allowed_regions: string[]
  runtime_egress_enabled: Generated<boolean>
  timeout_ceiling_seconds: number
  active_environment_limit: number
  capacity_retained_version_limit: number
  run_concurrency_limit: number | null
  queued_run_limit: number | null
  active_build_limit: number | null
  queued_build_limit: number | null
  /** Runs with a longer timeout start one at a time. */
  run_timeout_bound_seconds: number | null
  kept_bytes_limit: number | null
  network_cache_days: number | null
  updated_at: Generated<Date>
}

/** Written by triggers and by the loop that folds changes into them. */
export interface KeptBytesTable {
  company_id: string
  kind: string
  bytes: number
}

/** Written by workers before they store the results of a run. */
export interface StorageReservationsTable {
  run_id: string
  company_id: string
  fence: number
  bytes: number
}

export interface StorageBoundsTable {
  only_row: Generated<boolean>
  company_bytes: number
}
