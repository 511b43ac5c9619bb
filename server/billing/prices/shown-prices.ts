import type { ShownPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import type { Executing } from '../../db/database.ts'
import { moneyText } from '../money.ts'
import { findCurrentPrices, type StoredPriceList } from './price-list-store.ts'

/** Undefined: none were ever applied. */
export async function readShownPrices(db: Executing): Promise<ShownPrices | undefined> {
  const list = await findCurrentPrices(db)
  return list && shownPrices(list)
}

const shownPrices = (list: StoredPriceList): ShownPrices => ({
  currency: list.currency,
  rate_version: list.rateVersion,
  bound_version: list.boundVersion,
  applied_at: list.appliedAt.toISOString(),
  minimum_billed_seconds: list.minimumBilledSeconds,
  finalization_seconds: list.finalizationSeconds,
  inbound_reservation_bytes: list.inboundReservationBytes,
  outbound_reservation_bytes: list.outboundReservationBytes,
  rates: list.rates.map((rate) => ({
    region: rate.region,
    kind: rate.kind,
    profile: rate.profile,
    per_second: moneyText(rate.perSecondMicro),
    ingress_per_gib: moneyText(rate.ingressPerGibMicro),
    egress_per_gib: moneyText(rate.egressPerGibMicro),
  })),
})
