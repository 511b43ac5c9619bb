import { setBudget } from '../../server/billing/budgets/budget-store.ts'
import { applyPrices } from '../../server/billing/prices/apply-prices.ts'
import type { Database } from '../../server/db/database.ts'

/** 10 millionths of a dollar per second of a standard run, at least a minute, and a minute to finish. */
export const priceFile = {
  currency: 'USD',
  rate_version: 'rates-1',
  bound_version: 'bounds-1',
  minimum_billed_seconds: 60,
  finalization_seconds: 60,
  outbound_reservation_bytes: 1024 ** 3,
  regions: {
    onprem: {
      profiles: { standard: { per_second: '0.000010' }, large: { per_second: '0.00004' } },
      builds: {
        standard: { per_second: '0.000005' },
        fast: { per_second: '0.00001' },
        large: { per_second: '0.00002' },
      },
      ingress_per_gib: '0',
      egress_per_gib: '0.01',
    },
  },
} as const

/** JSON is YAML. */
export const applyTestPrices = (db: Database, file: object = priceFile) =>
  applyPrices({ db, deployment: 'onprem' }, JSON.stringify(file), { dryRun: false })

export async function removePrices(db: Database): Promise<void> {
  await db.deleteFrom('prices').execute()
  await db.deleteFrom('price_lists').execute()
}

/** A budget for this month and all later ones. */
export const giveBudget = (db: Database, companyId: string, amountMicro: number): Promise<void> =>
  setBudget(db, companyId, { month: '2020-01', recurring: true, amountMicro })
