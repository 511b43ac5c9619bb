import type { ProcessUse } from '../../../agent/protocol/answers.ts'
import type { Metrics } from './own-metrics.ts'

/**
 * The host agent's process, under the names that the library gives to those of other processes. Its type for metrics names
 * types and aggregators by enumerations that it does not export as values.
 */
export function agentMetrics(use: ProcessUse): Metrics {
  const { startedAtSeconds, cpuSeconds, residentBytes, heapUsedBytes, openFiles, eventLoopLagSeconds } = use
  return [
    metric('process_cpu_seconds_total', 'counter', cpuSeconds),
    metric('process_resident_memory_bytes', 'gauge', residentBytes),
    metric('process_open_fds', 'gauge', openFiles),
    metric('process_start_time_seconds', 'gauge', startedAtSeconds),
    metric('nodejs_heap_size_used_bytes', 'gauge', heapUsedBytes),
    metric('nodejs_eventloop_lag_p50_seconds', 'gauge', eventLoopLagSeconds.p50),
    metric('nodejs_eventloop_lag_p99_seconds', 'gauge', eventLoopLagSeconds.p99),
  ]
}

const metric = (name: string, type: 'counter' | 'gauge', value: number) =>
  ({
    name,
    help: '',
    type,
    aggregator: 'sum',
    values: [{ value, labels: { process: 'agent' } }],
  }) as unknown as Metrics[number]
