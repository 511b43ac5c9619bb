import { Gauge } from 'prom-client'
import type { ConnectionShares } from '../fairness/connection-shares.ts'

/** The pools of this process. */
const pools = new Set<ConnectionShares>()

/** Adds the connections of the pools to the metrics of this process. */
export const measurePools = (): Gauge =>
  new Gauge({
    name: 'sandbox_database_connections',
    help: 'Connections to the database that are in use, and requests for one that wait, of companies and of the service itself.',
    labelNames: ['owner', 'state'],
    collect() {
      for (const owner of ['companies', 'service'] as const)
        for (const state of ['held', 'waiting'] as const) {
          const counts = [...pools].map((shares) => shares.counts()[owner][state])
          this.set(
            { owner, state },
            counts.reduce((sum, count) => sum + count, 0),
          )
        }
    },
  })

/** Counts the connections of a pool until it ends. */
export const countPool = (shares: ConnectionShares): void => void pools.add(shares)
export const forgetPool = (shares: ConnectionShares): void => void pools.delete(shares)
