import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'
import { type Reporter, saveReport } from './metrics-report-store.ts'
import { type Metrics, ownMetrics } from './own-metrics.ts'

const everyMs = 5000

export interface MetricsReportOptions {
  db: Database
  reporter: Reporter
  /** Brings up to date what is not measured as it happens. */
  refresh?: () => Promise<void>
  /** Metrics of another process that reports none itself. */
  others?: () => Promise<Metrics>
  log: Log
}

/**
 * The loop by which a process without a listener shows its metrics: the API reads them in the database, so that nothing can connect
 * to the process that has the signing key.
 */
export const startMetricsReport = ({ db, reporter, refresh, others, log }: MetricsReportOptions): Ticker =>
  startTicker({
    name: 'metrics',
    tick: async () => {
      await refresh?.()
      await saveReport(db, reporter, [...(await ownMetrics()), ...((await others?.()) ?? [])])
    },
    intervalMs: everyMs,
    log,
  })
