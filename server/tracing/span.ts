/**
 * A part of what happened to a run, in OpenTelemetry's terms. Attributes are ids that the service made, names that it
 * declares, and numbers: nothing that a tenant wrote. Those without a name in OpenTelemetry's conventions begin with `sandbox_jobs.`.
 */
export interface Span extends SpanContext {
  parentSpanId?: string
  name: string
  process: TracedProcess
  kind?: 'internal' | 'server'
  /** Milliseconds since 1970, with fractions. */
  startMs: number
  endMs: number
  /** Numbers are whole. */
  attributes?: Record<string, string | number>
  /** The work failed: a code or a name of an error, or empty. */
  failure?: string | undefined
  /** Spans of other traces that belong to the same work. */
  links?: readonly SpanContext[]
}

export interface SpanContext {
  /** 32 hex digits. */
  traceId: string
  /** 16 hex digits. */
  spanId: string
}

/** The process that did the work, which is not always the one that sends the span. */
export type TracedProcess = 'api' | 'worker' | 'builds' | 'host agent' | 'shim'

/*
 * The spans that more than one process or attempt knows. They are named by the digits of the id of the run or build: no process asks
 * another, and a trace is found by that id.
 */

/** The root: what queued the run. */
export const submissionOf = (runId: string): SpanContext => ({
  traceId: runId.slice(-32),
  spanId: runId.slice(-16),
})

/** The run itself. */
export const runSpanOf = (runId: string): SpanContext & { parentSpanId: string } => ({
  traceId: runId.slice(-32),
  spanId: runId.slice(-32, -16),
  parentSpanId: runId.slice(-16),
})

/** A build, which is the root of its trace. */
export const buildSpanOf = (attemptId: string): SpanContext => ({
  traceId: attemptId.slice(-32),
  spanId: attemptId.slice(-32, -16),
})

/** Times of spans: milliseconds since 1970 that do not jump while the clock of the machine is set. */
export function spanClock(nowMs: number): () => number {
  const origin = nowMs - performance.now()
  return () => origin + performance.now()
}

/** The span that a `traceparent` header of W3C Trace Context names; undefined if it has another form. */
export function spanOfHeader(header: unknown): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', rest] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/.exec(header) ?? []
  const isKnown = version !== undefined && version !== 'ff' && (version !== '00' || rest === undefined)
  return isKnown && /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId } : undefined
}
