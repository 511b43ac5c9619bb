import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId } from '../../identifiers.ts'
import { imageRetentionMaxDays, regionalCapacityGraceDays, runContentRetentionMaxDays } from '../../limits.ts'
import { Count, Nullable, OneOf, Ordinal, Strict } from '../../schema.ts'
import { RegionCode } from '../environments/region.ts'

/** Amount of money as a decimal string. */
const Money = Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' })

/** Rates and bounds that determine the hold and the final cost of a run (contract part 3, D5). */
export const RuntimePricing = Type.Object({
  currency: about('Currency of all rates, ISO 4217.', Type.String(), 'USD'),
  rate_version: about('Names these rates.', Type.String(), 'nominal-1'),
  bound_version: about('Names these bounds.', Type.String(), 'nominal-1'),
  regions: about(
    'Rates by region code.',
    Type.Record(
      Type.String(),
      Type.Object({
        profiles: about(
          'Rates by resource profile.',
          Type.Record(
            Type.String(),
            Type.Object({
              per_second: about('Price of one second of a run, by profile.', Money, '0.000010'),
            }),
          ),
          { standard: { per_second: '0.000010' } },
        ),
        ingress_per_gib: about('Price of 1 GiB received.', Money, '0'),
        egress_per_gib: about('Price of 1 GiB sent.', Money, '0.01'),
      }),
    ),
    {
      onprem: {
        profiles: { standard: { per_second: '0.000010' } },
        ingress_per_gib: '0',
        egress_per_gib: '0.01',
      },
    },
  ),
  minimum_billed_seconds: about('A shorter run costs as much as one of this many seconds.', Count, 1),
  finalization_seconds: about(
    'Seconds that are reserved for the end of a run, besides its timeout.',
    Count,
    60,
  ),
  outbound_reservation_bytes: about(
    'Bytes of sent data that are reserved for a run. Where they have a price, a run that sends more is ended.',
    Count,
    1_073_741_824,
  ),
  inbound_reservation_bytes: about(
    'The same for received data. Absent where it has no price.',
    Type.Optional(Count),
    10_737_418_240,
  ),
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
  run_content_retention_days: about(
    'Days that input, output, log and artifacts of an ended run are kept.',
    Type.Integer({ minimum: 1, maximum: runContentRetentionMaxDays }),
    30,
  ),
  unreferenced_image_retention_days: about(
    'Days that the image of a version that no task uses is kept.',
    Type.Integer({ minimum: 1, maximum: imageRetentionMaxDays }),
    30,
  ),
  allowed_regions: about(
    'Regions where runs may be placed. It says nothing about builds, storage or logs.',
    Type.Array(RegionCode, { minItems: 1, uniqueItems: true }),
    ['onprem'],
  ),
  policy_version: about('Revision of the settings. An update must send the current one.', Ordinal, 4),
}

/**
 * `policy_version` is the last one read; if the current one differs, the update fails with `policy_version_conflict`.
 */
export const CompanySettingsUpdate = Strict(writable)
export type CompanySettingsUpdate = Static<typeof CompanySettingsUpdate>

export const CompanySettings = Type.Object({
  ...writable,
  company_id: CompanyId,
  selectable_regions: about('Regions that `allowed_regions` may name.', Type.Array(RegionCode), ['onprem']),
  pricing: about(
    'Rates that a run is charged by; null if there is no selectable region.',
    Nullable(RuntimePricing),
  ),
  runtime_egress_enabled: about(
    'Whether runs may reach the internet; the operator decides.',
    Type.Boolean(),
    true,
  ),
  timeout_ceiling_seconds: about('Longest timeout of a run, in seconds.', Ordinal, 86_400),
  active_environment_limit: about('Active environments that the company may have.', Count, 30),
  capacity_retained_version_limit: about('Environment versions that may be kept ready to run.', Count, 100),
  placement_scope: about(
    '`allowed_regions` governs the placement of runs only.',
    Type.Literal('runtime_execution_only'),
  ),
  does_not_govern: about(
    'Kinds of data that `allowed_regions` does not govern.',
    Type.Array(OneOf(notGoverned)),
    ['build', 'registry'],
  ),
  residency_guaranteed: about('No promise is made about where data lies.', Type.Literal(false)),
  regional_job_capacity_grace_days_fixed: about(
    'Days that capacity in a region outlives its last use.',
    Type.Literal(regionalCapacityGraceDays),
  ),
})
export type CompanySettings = Static<typeof CompanySettings>
