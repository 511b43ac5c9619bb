import type { Executing } from '../../db/database.ts'
import { findCurrentPrices } from './price-list-store.ts'

/** The currency of all amounts; null where nothing has a price. */
export const currencyOfPrices = async (db: Executing): Promise<string | null> =>
  (await findCurrentPrices(db))?.currency ?? null
