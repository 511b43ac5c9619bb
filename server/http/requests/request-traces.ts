import { spanOfHeader, submissionOf } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'
import type { EndedRequest } from './ended-requests.ts'

/**
 * Records a request that queued runs as the root span of the trace of each. A caller who sends `traceparent` gets a link to its own
 * span and no more: it chooses neither the trace that a run belongs to nor what is recorded.
 */
export function traceRequest(ended: EndedRequest): void {
  const { request, method, route = '', status, endedAt, ms, queuedRuns } = ended
  // An error: the transaction that queued the run was rolled back.
  if (queuedRuns.length === 0 || (status !== undefined && status >= 400)) return
  const endMs = endedAt.getTime()
  const caller = spanOfHeader(request.headers.traceparent)
  for (const run of queuedRuns) {
    recordSpan({
      ...{ ...submissionOf(run), startMs: endMs - ms, endMs },
      ...{ name: `${method} ${route}`, kind: 'server', process: 'api' },
      attributes: {
        'http.request.method': method,
        'http.route': route,
        ...(status !== undefined && { 'http.response.status_code': status }),
        'sandbox_jobs.request': request.id,
      },
      ...(caller && { links: [caller] }),
    })
  }
}
