import { type RegionCode, regionCodes } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { PriceList } from './price-list.ts'

/* Writes `price_lists` and `prices`, which belong to no company. */

export interface StoredPriceList extends PriceList {
  id: number
  appliedAt: Date
}

/** One list is applied at a time, until the transaction ends. */
export const lockPrices = (trx: Trx): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended('price lists', 0))`.execute(trx)

/** The list that holds. Undefined: none was ever applied. */
export const findCurrentPrices = (db: Executing): Promise<StoredPriceList | undefined> => findNewest(db, {})

/** The newest list with that name for its rates, or for its bounds. */
export const findPricesNamed = (
  db: Executing,
  named: { rate_version: string } | { bound_version: string },
): Promise<StoredPriceList | undefined> => findNewest(db, named)

async function findNewest(
  db: Executing,
  named: { rate_version?: string; bound_version?: string },
): Promise<StoredPriceList | undefined> {
  const list = await db
    .selectFrom('price_lists')
    .selectAll()
    .$if(named.rate_version !== undefined, (query) =>
      query.where('rate_version', '=', named.rate_version ?? ''),
    )
    .$if(named.bound_version !== undefined, (query) =>
      query.where('bound_version', '=', named.bound_version ?? ''),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!list) return undefined
  const prices = await db
    .selectFrom('prices')
    .selectAll()
    .where('list_id', '=', list.id)
    .orderBy('place')
    .execute()
  return {
    id: list.id,
    appliedAt: list.applied_at,
    currency: list.currency,
    rateVersion: list.rate_version,
    boundVersion: list.bound_version,
    minimumBilledSeconds: list.minimum_billed_seconds,
    finalizationSeconds: list.finalization_seconds,
    inboundReservationBytes: list.inbound_reservation_bytes,
    outboundReservationBytes: list.outbound_reservation_bytes,
    rates: prices.map((price) => ({
      kind: price.kind,
      profile: price.profile,
      // Only codes from the contract are stored.
      region: price.region as RegionCode,
      perSecondMicro: price.per_second_micro,
      ingressPerGibMicro: price.ingress_per_gib_micro,
      egressPerGibMicro: price.egress_per_gib_micro,
    })),
  }
}

/** Stores a list, which holds from the commit on. Regions are preferred in the order of the contract's table. */
export async function insertPriceList(trx: Trx, list: PriceList): Promise<void> {
  const { id } = await trx
    .insertInto('price_lists')
    .values({
      currency: list.currency,
      rate_version: list.rateVersion,
      bound_version: list.boundVersion,
      minimum_billed_seconds: list.minimumBilledSeconds,
      finalization_seconds: list.finalizationSeconds,
      inbound_reservation_bytes: list.inboundReservationBytes,
      outbound_reservation_bytes: list.outboundReservationBytes,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('prices')
    .values(
      list.rates.map((rate) => ({
        list_id: id,
        kind: rate.kind,
        profile: rate.profile,
        region: rate.region,
        place: regionCodes.indexOf(rate.region),
        per_second_micro: rate.perSecondMicro,
        ingress_per_gib_micro: rate.ingressPerGibMicro,
        egress_per_gib_micro: rate.egressPerGibMicro,
      })),
    )
    .execute()
}
