import { Gauge } from 'prom-client'
import type { AgentClient } from '../../../agent/client/agent-client.ts'
import type { CapacityPort } from '../../../agent/port/capacity.ts'
import type { Config } from '../../base/config/config.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { agentMetrics } from '../../operations/metrics/agent-metrics.ts'
import { removeReport } from '../../operations/metrics/metrics-report-store.ts'
import { measureProcess } from '../../operations/metrics/own-metrics.ts'
import { startMetricsReport } from '../../operations/metrics/report-metrics.ts'
import { refreshServiceGauges } from '../../operations/metrics/service-gauges.ts'
import type { Ticker } from '../../work/ticker.ts'

export interface WorkerMetricsOptions {
  db: Database
  executorId: string
  executor: CapacityPort
  agent: Pick<AgentClient, 'process'>
  config: Pick<Config, 'backupFolder' | 'dataDir' | 'diskFloorBytes' | 'metricsListen'>
  log: Log
  /** Of runs. */
  slots: { total: number; used: () => number }
}

/** The loop that reports the metrics of the worker, and those of the whole service, which it alone computes; none if nobody reads them. */
export function startWorkerMetrics({
  db,
  executorId,
  executor,
  agent,
  config,
  log,
  slots,
}: WorkerMetricsOptions): Ticker[] {
  if (config.metricsListen === undefined) return []
  measureProcess('worker')
  new Gauge({
    name: 'sandbox_run_slots',
    help: 'Slots of runs that are used, and all.',
    labelNames: ['count'],
    collect() {
      this.set({ count: 'used' }, slots.used())
      this.set({ count: 'total' }, slots.total)
    },
  })
  let hasOldReport = config.backupFolder === undefined
  const refresh = async () => {
    if (hasOldReport) await removeReport(db, { executor: executorId, process: 'backups' })
    hasOldReport = false
    await refreshServiceGauges({ db, executor, ...config })
  }
  const others = () => agent.process().then(agentMetrics, () => [])
  const reporter = { executor: executorId, process: 'worker' } as const
  return [startMetricsReport({ db, reporter, refresh, others, log })]
}
