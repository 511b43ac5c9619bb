import { timeOfId } from '../../base/ids.ts'
import { runSpanOf, type TracedProcess } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'
import { runsEnded } from './run-metrics.ts'
import type { RunOutcome } from './run-outcome.ts'

interface EndedRun {
  id: string
  companyId: string
  outcome: Pick<RunOutcome, 'state' | 'error_code'>
  /** Milliseconds since 1970. */
  endMs: number
  /** The process that ended it. */
  process: TracedProcess
}

/** Counts a run that has ended, and records the span of it, which lasts from its submission to its end. */
export function reportRunEnd({ id, companyId, outcome, endMs, process }: EndedRun): void {
  const { state, error_code: error } = outcome
  runsEnded.inc({ state, error })
  recordSpan({
    ...{ ...runSpanOf(id), name: 'run', process, startMs: timeOfId(id), endMs },
    attributes: {
      'sandbox_jobs.run': id,
      'sandbox_jobs.company': companyId,
      'sandbox_jobs.state': state,
      'sandbox_jobs.error': error,
    },
    // A cancelled run ended as it was asked to.
    failure: state === 'completed' || state === 'cancelled' ? undefined : error,
  })
}
