import type { RuntimePricing } from '@sandbox-jobs/contract/resources/companies/company-settings.ts'
import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { Executing } from '../../db/database.ts'
import { moneyText } from '../money.ts'
import type { PriceList } from './price-list.ts'
import { findCurrentPrices } from './price-list-store.ts'

/** Nothing is charged or reserved, so every rate and limit is zero. The version strings say so. */
const free = '0'

const selectable = profiles.filter((profile) => profile.tenant_selectable).map(({ id }) => id)

/** The rates that runs are charged by in these regions. Null if there is no region (contract part 3, D5). */
export async function readPricing(
  db: Executing,
  regions: readonly RegionCode[],
): Promise<RuntimePricing | null> {
  if (regions.length === 0) return null
  const list = await findCurrentPrices(db)
  return list ? pricingOf(list, regions) : nominalPricing(regions)
}

function pricingOf(list: PriceList, regions: readonly RegionCode[]): RuntimePricing {
  const entries = regions.flatMap((region) => {
    const rates = list.rates.filter((rate) => rate.kind === 'run' && rate.region === region)
    const [first] = rates
    if (!first) return []
    const shown = rates.filter(({ profile }) => selectable.some((id) => id === profile))
    const prices = {
      profiles: Object.fromEntries(
        shown.map((rate) => [rate.profile, { per_second: moneyText(rate.perSecondMicro) }]),
      ),
      ingress_per_gib: moneyText(first.ingressPerGibMicro),
      egress_per_gib: moneyText(first.egressPerGibMicro),
    }
    return [[region, prices] as const]
  })
  return {
    currency: list.currency,
    rate_version: list.rateVersion,
    bound_version: list.boundVersion,
    regions: Object.fromEntries(entries),
    minimum_billed_seconds: list.minimumBilledSeconds,
    finalization_seconds: list.finalizationSeconds,
    outbound_reservation_bytes: list.outboundReservationBytes,
    ...(list.inboundReservationBytes > 0 && {
      inbound_reservation_bytes: list.inboundReservationBytes,
    }),
  }
}

/** The pricing of a deployment whose operator applied no prices. */
function nominalPricing(regions: readonly RegionCode[]): RuntimePricing {
  const rates = {
    profiles: Object.fromEntries(selectable.map((id) => [id, { per_second: free }])),
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
