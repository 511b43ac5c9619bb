import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { BenchJob } from './bench-job.ts'

export interface TimedRun {
  id: string
  /** Milliseconds since 1970 when the request was sent. */
  sentAt: number
  /** From before the request was sent until an answer said that the run has ended. */
  totalMs: number
  /** From before the request was sent until the run was acknowledged. */
  submitMs: number
  /** Between the service's own `queued_at` and `terminal_at`. */
  serviceMs: number
  polls: number
}

const waitLimitMs = 60_000

/**
 * Submits runs over one kept connection and sees their end as any client does: by asking. It asks again `pollMs` after
 * each answer, and not at all before `quietMs` have passed, for questions cost the machine what the run then waits for.
 */
export class RunTimer {
  readonly #job: BenchJob
  readonly #base: URL
  readonly #connections = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #pollMs: number

  constructor(job: BenchJob, { baseUrl, pollMs }: { baseUrl: string; pollMs: number }) {
    this.#job = job
    this.#base = new URL(baseUrl)
    this.#pollMs = pollMs
  }

  /** Runs the job once. Throws when it does not end as completed. */
  async once(quietMs: number): Promise<TimedRun> {
    const runs = allRoutes.submitRun.path.replace('{cid}', this.#job.chatroomId)
    const body = JSON.stringify({ task_version_id: this.#job.taskVersionId, input: {} })
    const begun = performance.now()
    let run = await this.#call(runs, body)
    const submitMs = performance.now() - begun
    let polls = 0
    for (let waitMs = quietMs - submitMs; run.terminal_at === null; waitMs = this.#pollMs) {
      if (performance.now() - begun > waitLimitMs) throw new Error(`run ${run.id} does not end`)
      if (waitMs > 0) await sleep(waitMs)
      run = await this.#call(`${runs}/${run.id}`)
      polls += 1
    }
    const totalMs = performance.now() - begun
    if (run.status !== 'completed') throw new Error(`run ${run.id} ended as ${run.status} ${run.error_code}`)
    const serviceMs = Date.parse(run.terminal_at) - Date.parse(run.queued_at ?? '')
    return { id: run.id, sentAt: performance.timeOrigin + begun, totalMs, submitMs, serviceMs, polls }
  }

  close(): void {
    this.#connections.destroy()
  }

  async #call(path: string, body?: string): Promise<RunDetail> {
    const headers = {
      'x-api-key': this.#job.apiKey,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'idempotency-key': randomUUID(),
      }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<RunDetail>()
    const sent = request(
      {
        host: this.#base.hostname,
        port: this.#base.port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: this.#connections,
        headers,
      },
      (response) => {
        const answered = json(response) as Promise<RunDetail>
        if (response.statusCode === 200 || response.statusCode === 201)
          return void answered.then(resolve, reject)
        answered.then((told) => reject(new Error(`${response.statusCode}: ${JSON.stringify(told)}`)), reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
    return promise
  }
}
