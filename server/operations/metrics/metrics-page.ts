import { AggregatorRegistry, Gauge, type OpenMetricsContentType, Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import { heldAnswer } from '../held-answer.ts'
import { listReports, type MetricsReport } from './metrics-report-store.ts'
import { type Metrics, ownMetrics } from './own-metrics.ts'

/** How long a page is given again. */
const heldMs = 1000
/** Older reports are left out: a gauge of a process that has died says nothing. */
const reportMaxAgeSeconds = 30

/** The first digits of an id tell executors of a deployment apart. */
const digitsOf = (executor: string): string => executor.slice(0, 8)

/** Whether labels need not say of which executor they are. */
const isOneExecutor = (reports: readonly MetricsReport[]): boolean =>
  new Set(reports.map(({ executor }) => executor)).size < 2

const reportAge = new Gauge({
  name: 'sandbox_process_report_age_seconds',
  help: 'Age of the last report of a process; its metrics are absent above 30 seconds.',
  labelNames: ['reporter', 'executor'],
})
const databaseUp = new Gauge({ name: 'sandbox_database_up', help: 'Whether the database answers the API.' })

export interface Page {
  contentType: string
  text: string
}

/** The metrics of all processes, as OpenMetrics. However often somebody asks, the database is read once in a time. */
export class MetricsPage {
  readonly #db: Database
  readonly read = heldAnswer(heldMs, () => this.#make())

  constructor(db: Database) {
    this.#db = db
  }

  async #make(): Promise<Page> {
    const reports = await this.#reports()
    const fresh = reports.filter(({ age_seconds }) => age_seconds <= reportMaxAgeSeconds)
    const isOne = isOneExecutor(fresh)
    const reported = fresh.map((report) => (isOne ? (report.metrics as Metrics) : withExecutor(report)))
    const all = [await ownMetrics(), ...reported].map(withFamilyNames)
    const merged = AggregatorRegistry.aggregate<OpenMetricsContentType>(all)
    merged.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    return { contentType: merged.contentType, text: await merged.metrics() }
  }

  async #reports(): Promise<MetricsReport[]> {
    reportAge.reset()
    try {
      const reports = await listReports(this.#db)
      databaseUp.set(1)
      const isOne = isOneExecutor(reports)
      for (const { executor, process, age_seconds } of reports)
        reportAge.set({ reporter: process, ...(!isOne && { executor: digitsOf(executor) }) }, age_seconds)
      return reports
    } catch {
      databaseUp.set(0)
      return []
    }
  }
}

/** Of several executors, whose values would be added: each has the first digits of its id as a label. */
const withExecutor = ({ executor, metrics }: MetricsReport): Metrics =>
  (metrics as Metrics).map((metric) => ({
    ...metric,
    values: metric.values.map((value) => ({
      ...value,
      labels: { ...value.labels, executor: digitsOf(executor) },
    })),
  }))

/** In OpenMetrics a counter is named without the ending that its samples have. */
const withFamilyNames = (metrics: Metrics): Metrics =>
  metrics.map((metric) => ({
    ...metric,
    name: isCounter(metric) ? metric.name.replace(/_total$/, '') : metric.name,
  }))

const isCounter = ({ type }: Metrics[number]): boolean => String(type) === 'counter'
