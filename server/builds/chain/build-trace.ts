import { systemClock } from '../../base/clock.ts'
import { newSpanId, timeOfId } from '../../base/ids.ts'
import { buildSpanOf, type Span, spanClock } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'
import type { Claimed } from '../attempts/claims/claimed-attempt-store.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { AnyStep } from '../steps/step.ts'
import { buildsEnded } from './build-metrics.ts'

/*
 * The trace of a build:
 *
 *   build                     from its request to the stored end
 *     queued                  until the first claim
 *     validate_context, ...   each step, once more if the chain runs again
 */

/** Records the time until the first claim of an attempt, which is now. */
export function recordQueued({ id, fence }: Claimed): void {
  if (fence === 1) record(id, 'queued', { startMs: timeOfId(id), endMs: systemClock.now().getTime() })
}

/** Runs a step and records it. A failure is its code, or the name of another error. */
export async function tracedStep<T>(
  attemptId: string,
  { name, stage }: Pick<AnyStep, 'name' | 'stage'>,
  work: () => Promise<T>,
): Promise<T> {
  const now = spanClock(systemClock.now().getTime())
  const startMs = now()
  const end = (failure?: string) =>
    record(attemptId, name, {
      startMs,
      endMs: now(),
      attributes: { 'sandbox_jobs.stage': stage },
      failure,
    })
  try {
    const made = await work()
    end()
    return made
  } catch (error) {
    end(error instanceof BuildFailed ? error.code : error instanceof Error ? error.name : '')
    throw error
  }
}

/** Counts a build that has ended, and records the span of it. `error` is empty for one that has succeeded. */
export function reportBuildEnd(
  { id, company_id: company }: Claimed,
  { state, error }: { state: string; error: string },
): void {
  buildsEnded.inc({ state, error })
  recordSpan({
    ...{ ...buildSpanOf(id), name: 'build', process: 'builds' },
    ...{ startMs: timeOfId(id), endMs: systemClock.now().getTime() },
    attributes: {
      'sandbox_jobs.build': id,
      ...(company !== null && { 'sandbox_jobs.company': company }),
      'sandbox_jobs.state': state,
      'sandbox_jobs.error': error,
    },
    // A cancelled build ended as it was asked to.
    failure: state === 'completed' || state === 'cancelled' ? undefined : error,
  })
}

function record(
  attemptId: string,
  name: string,
  span: Pick<Span, 'startMs' | 'endMs' | 'attributes' | 'failure'>,
): void {
  const { traceId, spanId } = buildSpanOf(attemptId)
  recordSpan({ traceId, spanId: newSpanId(), parentSpanId: spanId, name, process: 'builds', ...span })
}
