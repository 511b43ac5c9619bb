import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { imageRetentionMaxDays, regionalCapacityGraceDays, runContentRetentionMaxDays } from '../../limits.ts'
import { Count, Nullable, OneOf, Ordinal, Strict } from '../../schema.ts'
import { RegionCode } from '../environments/region.ts'

/** Amount of money as a decimal string. */
const Money = Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' })

/** Rates and bounds that determine the hold and the final cost of a run (contract part 3, D5). */
export const RuntimePricing = Type.Object({
  currency: Type.String(),
  rate_version: Type.String(),
  bound_version: Type.String(),
  regions: Type.Record(
    Type.String(),
    Type.Object({
      profiles: Type.Record(Type.String(), Type.Object({ per_second: Money })),
      ingress_per_gib: Money,
      egress_per_gib: Money,
    }),
  ),
  minimum_billed_seconds: Count,
  finalization_seconds: Count,
  outbound_reservation_bytes: Count,
})
export type RuntimePricing = Static<typeof RuntimePricing>

/** Resources that `allowed_regions` does not restrict: it applies to the placement of runs only. */
export const notGoverned = [
  'build',
  'validator',
  'registry',
  'object_storage',
  'log',
  'control_plane',
] as const

const writable = {
  run_content_retention_days: Type.Integer({ minimum: 1, maximum: runContentRetentionMaxDays }),
  unreferenced_image_retention_days: Type.Integer({ minimum: 1, maximum: imageRetentionMaxDays }),
  allowed_regions: Type.Array(RegionCode, { minItems: 1, uniqueItems: true }),
  policy_version: Ordinal,
}

/**
 * `policy_version` is the last one read; if the current one differs, the update fails with `policy_version_conflict`.
 */
export const CompanySettingsUpdate = Strict(writable)
export type CompanySettingsUpdate = Static<typeof CompanySettingsUpdate>

export const CompanySettings = Type.Object({
  ...writable,
  company_id: Identifier,
  selectable_regions: Type.Array(RegionCode),
  pricing: Nullable(RuntimePricing),
  runtime_egress_enabled: Type.Boolean(),
  timeout_ceiling_seconds: Ordinal,
  active_environment_limit: Count,
  capacity_retained_version_limit: Count,
  placement_scope: Type.Literal('runtime_execution_only'),
  does_not_govern: Type.Array(OneOf(notGoverned)),
  residency_guaranteed: Type.Literal(false),
  regional_job_capacity_grace_days_fixed: Type.Literal(regionalCapacityGraceDays),
})
export type CompanySettings = Static<typeof CompanySettings>
