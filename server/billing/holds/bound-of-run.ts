import type { Executing } from '../../db/database.ts'
import { moneyText } from '../money.ts'
import { findCurrentPrices } from '../prices/price-list-store.ts'
import { readPrice } from './charge-store.ts'
import { hold } from './hold.ts'

export interface PricedRun {
  companyId: string
  profile: string
  regions: readonly string[]
  timeoutSeconds: number
}

/**
 * The amount that would be held for a run if it were queued now, such as `0.018600 USD`, whether or not a budget allows it.
 * Undefined where runs have no price. Throws `missing_price` and `invalid_envelope`.
 */
export async function boundOfRun(
  db: Executing,
  { companyId, profile, regions, timeoutSeconds }: PricedRun,
): Promise<string | undefined> {
  const price = await readPrice(db, { kind: 'run', companyId, profile, regions })
  const noLimit = { limitMicro: null, committedMicro: 0 }
  const charge = hold(price, noLimit, {
    subjectId: '',
    companyId,
    kind: 'run',
    timeoutSeconds,
    hasTraffic: true,
  })
  const list = charge && (await findCurrentPrices(db))
  return list && `${moneyText(charge.heldMicro)} ${list.currency}`
}
