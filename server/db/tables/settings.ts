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
  updated_at: Generated<Date>
}
