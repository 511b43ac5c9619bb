import { hostname } from 'node:os'
import { headersIn, type TracingConfig } from '../base/config/tracing-settings.ts'
import type { Log } from '../base/logging.ts'
import manifest from '../package.json' with { type: 'json' }
import { tracesPoster } from './post-traces.ts'
import type { Span } from './span.ts'
import { SpanQueue } from './span-queue.ts'

/*
 * Traces of this process. As with metrics there is one destination per process, so that what is traced does not pass it
 * on; without a collector a span goes nowhere.
 */

let queue: SpanQueue | undefined

export function recordSpan(span: Span): void {
  queue?.add(span)
}

/** Sends spans to the configured collector until the returned function stops it; does nothing if there is none. */
export function startTracing(config: TracingConfig, log: Log): { stop: () => Promise<void> } {
  const { otlpEndpoint, otlpHeaders, otlpCertificateFile, otlpServiceName } = config
  if (otlpEndpoint === undefined) return { stop: async () => undefined }
  const headers = (otlpHeaders !== undefined && headersIn(otlpHeaders)) || {}
  const post = tracesPoster({ endpoint: otlpEndpoint, headers, caFile: otlpCertificateFile })
  const resource = {
    'service.name': otlpServiceName,
    'service.version': manifest.version,
    'host.name': hostname(),
  }
  const started = new SpanQueue({ post, resource, log })
  queue = started
  return {
    stop: async () => {
      queue = undefined
      await started.stop()
    },
  }
}
