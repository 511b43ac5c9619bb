import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { newSpanId, timeOfId } from '../../base/ids.ts'
import { runSpanOf, type Span, spanClock } from '../../tracing/span.ts'
import { recordSpan } from '../../tracing/tracing.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { reportRunEnd } from '../model/report-run-end.ts'
import { stepDuration } from '../model/run-metrics.ts'
import type { RunOutcome } from '../model/run-outcome.ts'

const stepNames = {
  claimed: 'prepare',
  prepared: 'start',
  startUnknown: 'resolve start',
  started: 'report',
  waiting: 'await exit',
  exited: 'collect',
  collected: 'decide',
  decided: 'finish',
  finished: 'clean up',
}

/**
 * Times of one run in this worker: the metric of its steps, and the spans of its trace. Each step is a span, and what it asks of
 * database, executor and storage are spans below it. The program's times are those that the shim has recorded.
 *
 *   POST ...              the request that queued it, in the API (`http/requests/request-traces.ts`)
 *     run                 from the submission to the stored end
 *       queued            until the first claim
 *       prepare, start, await exit, collect, finish, ...
 *       program           from its start to its end
 */
export class RunTrace {
  readonly #run: ClaimedRun
  readonly #now: () => number
  readonly #claimedMs: number
  #step: { spanId: string }

  constructor(run: ClaimedRun, nowMs: number) {
    this.#run = run
    this.#now = spanClock(nowMs)
    this.#claimedMs = this.#now()
    this.#step = runSpanOf(run.id)
  }

  /** Measures a step of the run. */
  async step<T>(at: keyof typeof stepNames, work: () => Promise<T>): Promise<T> {
    if (at === 'claimed' && this.#run.fence === 1)
      this.#record('queued', { startMs: timeOfId(this.#run.id), endMs: this.#claimedMs })
    const stop = stepDuration.startTimer({ step: at })
    const spanId = newSpanId()
    this.#step = { spanId }
    const result = await this.#timed(stepNames[at], { spanId }, work)
    stop()
    return result
  }

  /** Measures something that the current step asks of another process. */
  call<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#timed(name, { spanId: newSpanId(), parentSpanId: this.#step.spanId }, work)
  }

  /** Records the program of a sandbox that has ended. */
  program({ startedAt, endedAt, cause }: SandboxExit): void {
    if (startedAt === null) return
    this.#record('program', {
      startMs: Date.parse(startedAt),
      endMs: Date.parse(endedAt),
      process: 'shim',
      attributes: { 'sandbox_jobs.cause': cause },
    })
  }

  /** Records the run itself, whose end is stored. */
  end(outcome: RunOutcome): void {
    reportRunEnd({ ...this.#run, outcome, endMs: this.#now(), process: 'worker' })
  }

  async #timed<T>(
    name: string,
    ids: { spanId: string; parentSpanId?: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const startMs = this.#now()
    try {
      const result = await work()
      this.#record(name, { ...ids, startMs, endMs: this.#now() })
      return result
    } catch (error) {
      const failure = error instanceof Error ? error.name : ''
      this.#record(name, { ...ids, startMs, endMs: this.#now(), failure })
      throw error
    }
  }

  #record(name: string, span: Pick<Span, 'startMs' | 'endMs'> & Partial<Span>): void {
    const { traceId, spanId: run } = runSpanOf(this.#run.id)
    recordSpan({
      ...{ name, traceId, spanId: newSpanId(), parentSpanId: run, process: 'worker' },
      ...span,
    })
  }
}
