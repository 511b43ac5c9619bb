import type { FastifyInstance } from 'fastify'
import { systemClock } from '../../base/clock.ts'
import { queuedRuns } from '../../base/current-request.ts'
import { spanClock, spanOfHeader, submissionOf } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'

/**
 * Records each request that queues a run as the root span of the run's trace. A caller who sends `traceparent` gets a link to its own
 * span and no more: it chooses neither the trace that a run belongs to nor what is recorded.
 */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const runs = queuedRuns()
    const now = spanClock(systemClock.now().getTime())
    const startMs = now()
    reply.raw.once('close', () => {
      const { headersSent, statusCode } = reply.raw
      // An error: the transaction that queued the run was rolled back.
      if (runs.length === 0 || (headersSent && statusCode >= 400)) return
      const { method, routeOptions, headers, id } = request
      const { url: route = '' } = routeOptions
      const caller = spanOfHeader(headers.traceparent)
      for (const run of runs) {
        recordSpan({
          ...{ ...submissionOf(run), startMs, endMs: now() },
          ...{ name: `${method} ${route}`, kind: 'server', process: 'api' },
          attributes: {
            'http.request.method': method,
            'http.route': route,
            ...(headersSent && { 'http.response.status_code': statusCode }),
            'sandbox_jobs.request': id,
          },
          ...(caller && { links: [caller] }),
        })
      }
    })
    done()
  })
}
