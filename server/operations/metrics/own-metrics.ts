import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, register } from 'prom-client'
import { measurePools } from '../../db/pool-gauge.ts'

export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/** Of the library's metrics of a process, those that somebody acts on. */
const served =
  /^(sandbox_|process_(cpu_seconds_total|resident_memory_bytes|open_fds|start_time_seconds)$|nodejs_(eventloop_lag_p(50|99)_seconds|heap_size_used_bytes)$)/

/** Starts to measure the process itself; `process` is a label of everything that it measures. */
export function measureProcess(process: 'api' | 'worker' | 'builds' | 'backups'): void {
  register.setDefaultLabels({ process })
  collectDefaultMetrics()
  measurePools()
}

/** All values of this process, in the form in which processes report them. */
export async function ownMetrics(): Promise<Metrics> {
  const metrics = (await register.getMetricsAsJSON()) as Metrics
  return metrics.filter(({ name }) => served.test(name))
}
