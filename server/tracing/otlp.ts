import type { Span } from './span.ts'

/*
 * Spans as `ExportTraceServiceRequest` of OTLP 1.x in JSON: ids are hex, numbers of 64 bits are texts, enumerations are
 * numbers.
 */

const kinds = { internal: 1, server: 2 }
const statusError = 2
/** The work that a link names may be in another process. Spans of this service are always sampled. */
const sampled = 1

/** The body of a request to `/v1/traces`. `resource` has the attributes of the process that sends it. */
export const traceRequest = (spans: readonly Span[], resource: Record<string, string>): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'sandbox-jobs' }, spans: spans.map(spanOf) }],
      },
    ],
  })

function spanOf(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    flags: sampled,
    name: span.name,
    kind: kinds[span.kind ?? 'internal'],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: attributesOf({ 'sandbox_jobs.process': span.process, ...span.attributes }),
    ...(span.links && { links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    ...(span.failure !== undefined && { status: { code: statusError, message: span.failure } }),
  }
}

const attributesOf = (values: Record<string, string | number>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))

/** Beyond the precision of a number: from microseconds. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`
