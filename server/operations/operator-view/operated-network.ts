import type { OperatedNetwork } from '@sandbox-jobs/contract/operator/operated-network.ts'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { listCompanyTraffic } from './company-traffic-store.ts'

const days = 30
const dayMs = 86_400_000
const listedMax = 100

/** The traffic and the refusals of the runs of companies within 30 days. */
export async function readOperatedNetwork({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<OperatedNetwork> {
  const since = new Date(clock.now().getTime() - (days - 1) * dayMs)
    .toISOString()
    .slice(0, 'YYYY-MM-DD'.length)
  const companies = await listCompanyTraffic(db, since, listedMax + 1)
  return { since, companies: companies.slice(0, listedMax), is_cut: companies.length > listedMax }
}
