import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchJob } from '../sandbox/bench-job.ts'
import { RunCalls } from './run-calls.ts'

export interface TimedRun {
  id: string
  /** Milliseconds since 1970 when the request was sent. */
  sentAt: number
  /** From before the request was sent until a response said that the run has ended. */
  totalMs: number
  /** From before the request was sent until the run was acknowledged. */
  submitMs: number
  /** Between the service's own `queued_at` and `terminal_at`. */
  serviceMs: number
  polls: number
}

const waitLimitMs = 60_000

/**
 * Submits runs over one persistent connection and detects their end by polling, like any client. The first poll is
 * after `quietMs`, each further one `pollMs` after the previous response: an earlier poll would cost the run
 * processor time.
 */
export class RunTimer {
  readonly #calls: RunCalls
  readonly #pollMs: number

  constructor(
    job: BenchJob,
    { baseUrl, pollMs, sessionId }: { baseUrl: string; pollMs: number; sessionId?: string },
  ) {
    this.#calls = new RunCalls(job, { baseUrl, connections: 1, sessionId })
    this.#pollMs = pollMs
  }

  /** Runs the job once. Throws when it does not end as completed. */
  async once(quietMs: number): Promise<TimedRun> {
    const startedAt = performance.now()
    let run = await this.#calls.submit()
    const submitMs = performance.now() - startedAt
    let polls = 0
    for (let waitMs = quietMs - submitMs; run.terminal_at === null; waitMs = this.#pollMs) {
      if (performance.now() - startedAt > waitLimitMs) throw new Error(`run ${run.id} has not ended`)
      if (waitMs > 0) await sleep(waitMs)
      run = await this.#calls.read(run.id)
      polls += 1
    }
    const totalMs = performance.now() - startedAt
    if (run.status !== 'completed') throw new Error(`run ${run.id} ended as ${run.status} ${run.error_code}`)
    const serviceMs = Date.parse(run.terminal_at) - Date.parse(run.queued_at ?? '')
    return { id: run.id, sentAt: performance.timeOrigin + startedAt, totalMs, submitMs, serviceMs, polls }
  }

  close(): void {
    this.#calls.close()
  }
}
