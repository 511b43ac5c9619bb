import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ProcessUse } from '../protocol/answers.ts'

let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

/** The use of this process. The event loop is measured from the first call on, and then from one call to the next. */
export function processUse(): ProcessUse {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const seconds = (percentile: number) => (delay && delay.count > 0 ? delay.percentile(percentile) / 1e9 : 0)
  const eventLoopLagSeconds = { p50: seconds(50), p99: seconds(99) }
  delay ??= startDelay()
  delay.reset()
  return {
    startedAtSeconds: Math.round(performance.timeOrigin / 1000),
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    openFiles: readdirSync('/proc/self/fd').length,
    eventLoopLagSeconds,
  }
}

function startDelay() {
  const started = monitorEventLoopDelay({ resolution: 10 })
  started.enable()
  return started
}
