import { lockQueues } from '../../db/company-lock.ts'
import type { Trx } from '../../db/database.ts'
import { insertCharge, readPrice } from './charge-store.ts'
import { budgetOf, hold } from './hold.ts'

/**
 * Holds the price of a build in the transaction that queues it: what its profile may take, at most. Takes the lock of the
 * company's queue, which is held until the transaction ends. Throws what `hold` throws.
 */
export async function holdBuild(
  trx: Trx,
  build: { id: string; companyId: string; region: string; profile: string; timeoutSeconds: number },
): Promise<void> {
  const { companyId, profile, region } = build
  await lockQueues(trx, [companyId], { fleet: false })
  const price = await readPrice(trx, { kind: 'build', companyId, profile, regions: [region] })
  // A region has prices for all builds or for none.
  if (price.price_region === null) return
  const charge = hold(price, budgetOf(price), {
    subjectId: build.id,
    companyId,
    kind: 'build',
    timeoutSeconds: build.timeoutSeconds,
    hasTraffic: false,
  })
  if (charge) await insertCharge(trx, charge)
}
