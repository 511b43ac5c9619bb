import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { RunDetail, RunList } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { BenchJob } from '../sandbox/bench-job.ts'

/** A benchmark's calls about runs of its job, over persistent connections and with little processing. */
export class RunCalls {
  readonly #job: BenchJob
  readonly #base: URL
  readonly #runs: string
  readonly #connections: Agent
  readonly #sessionId: string | undefined

  /** Runs take the session, if one is given. */
  constructor(
    job: BenchJob,
    {
      baseUrl,
      connections,
      sessionId,
    }: { baseUrl: string; connections: number; sessionId?: string | undefined },
  ) {
    this.#sessionId = sessionId
    this.#job = job
    this.#base = new URL(baseUrl)
    this.#runs = allRoutes.submitRun.path.replace('{cid}', job.chatroomId)
    this.#connections = new Agent({ keepAlive: true, maxSockets: connections })
  }

  submit(): Promise<RunDetail> {
    const body = { task_version_id: this.#job.taskVersionId, input: {} }
    if (this.#sessionId === undefined) return this.#call(this.#runs, JSON.stringify(body))
    const path = allRoutes.submitExtendedRun.path.replace('{cid}', this.#job.chatroomId)
    return this.#call(path, JSON.stringify({ ...body, session: { session_id: this.#sessionId } }))
  }

  read(id: string): Promise<RunDetail> {
    return this.#call(`${this.#runs}/${id}`)
  }

  /** The newest runs of the room. */
  async newest(count: number): Promise<RunDetail[]> {
    return (await this.#call<RunList>(`${this.#runs}?page_size=${count}`)).items
  }

  close(): void {
    this.#connections.destroy()
  }

  async #call<Answer = RunDetail>(path: string, body?: string): Promise<Answer> {
    const headers = {
      'x-api-key': this.#job.apiKey,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'idempotency-key': randomUUID(),
      }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
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
        const answered = json(response) as Promise<Answer>
        if (response.statusCode === 200 || response.statusCode === 201)
          return void answered.then(resolve, reject)
        answered.then((body) => reject(new Error(`${response.statusCode}: ${JSON.stringify(body)}`)), reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
    return promise
  }
}
