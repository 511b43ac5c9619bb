import { ActsQuery } from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatedPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import { readShownPrices } from '../../billing/prices/shown-prices.ts'
import type { Database } from '../../db/database.ts'
import { readOperatedImages } from '../../operations/operator-view/operated-images.ts'
import { listActs } from '../../operations/operator-view/operator-acts.ts'
import type { OperatorMount } from './operator-mount.ts'

interface Services {
  db: Database
}

/** Things that the console shows, and only commands change. */
export function mountShownRoutes({ show }: OperatorMount<Services>, { db }: Services): void {
  show(operatorRoutes.listActs, ({ query }) => listActs(db, query.before), ActsQuery)
  show(
    operatorRoutes.readPrices,
    async (): Promise<OperatedPrices> => ({ prices: (await readShownPrices(db)) ?? null }),
  )
  show(operatorRoutes.listBlocks, () => readOperatedImages(db))
}
