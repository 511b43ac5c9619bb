import { ActsQuery } from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatedPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import type { Clock } from '../../base/clock.ts'
import { outsideRequests } from '../../base/current-request.ts'
import { readShownPrices } from '../../billing/prices/shown-prices.ts'
import type { Database } from '../../db/database.ts'
import { heldAnswer } from '../../operations/held-answer.ts'
import { readOperatedImages } from '../../operations/operator-view/operated-images.ts'
import { readOperatedNetwork } from '../../operations/operator-view/operated-network.ts'
import { listActs } from '../../operations/operator-view/operator-acts.ts'
import type { OperatorMount } from './operator-mount.ts'

interface Services {
  db: Database
  clock: Clock
}

/** It reads the usage of all companies. */
const networkHeldMs = 60_000

/** Things that the console shows, and only commands change. */
export function mountShownRoutes({ show }: OperatorMount<Services>, services: Services): void {
  const { db } = services
  show(operatorRoutes.listActs, ({ query }) => listActs(db, query.before), ActsQuery)
  show(
    operatorRoutes.readPrices,
    async (): Promise<OperatedPrices> => ({ prices: (await readShownPrices(db)) ?? null }),
  )
  const network = heldAnswer(networkHeldMs, () => outsideRequests(() => readOperatedNetwork(services)))
  show(operatorRoutes.readNetwork, network)
  show(operatorRoutes.listBlocks, () => readOperatedImages(db))
}
