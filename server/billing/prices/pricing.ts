import type { RuntimePricing } from '@sandbox-jobs/contract/resources/companies/company-settings.ts'
import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'

/** Nothing is charged or reserved, so every rate and limit is zero. The version strings say so. */
const free = '0'

/** Rates of the tenant's profiles in each region. Null if there is no region (contract part 3, D5). */
export function nominalPricing(regions: readonly RegionCode[]): RuntimePricing | null {
  if (regions.length === 0) return null
  const selectable = profiles.filter((profile) => profile.tenant_selectable)
  const rates = {
    profiles: Object.fromEntries(selectable.map((profile) => [profile.id, { per_second: free }])),
    ingress_per_gib: free,
    egress_per_gib: free,
  }
  return {
    currency: 'USD',
    rate_version: 'nominal-0',
    bound_version: 'nominal-0',
    regions: Object.fromEntries(regions.map((region) => [region, rates])),
    minimum_billed_seconds: 0,
    finalization_seconds: 0,
    outbound_reservation_bytes: 0,
  }
}
