import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareRuns, type OurRuns } from './harness/measure/compare-runs.ts'
import type { BenchJob } from './harness/sandbox/bench-job.ts'
import type { BenchService } from './harness/service/service.ts'
import type { ProfiledRun } from './profile/run-moments.ts'
import { profileRuns } from './profile/run-profile.ts'

const printed = 'echo 1'
const profiledRuns = 50
const path = '/doors/piston/api/v2/execute'

/** A program that prints one line, through a door, compared with programs that start a container; docs in bench/README.md. */
export const doorPrint: Benchmark = {
  name: 'door-print',
  about: 'a program of one line through a door, from the request to the answer with its output',
  run: (options) =>
    compareRuns(
      {
        name: 'door-print',
        job: { words: printed.split(' '), timed: 'end' },
        peers: [
          { name: 'crun run' },
          { name: 'docker run', reach: { atMost: 1 } },
          { name: 'podman run', reach: { atMost: 1 } },
        ],
        ours: (service, job) => new ProgramsByADoor(service, job),
      },
      options,
    ),
}

class ProgramsByADoor implements OurRuns {
  readonly #service: BenchService
  readonly #job: BenchJob
  #headers: Record<string, string> | undefined

  constructor(service: BenchService, job: BenchJob) {
    this.#service = service
    this.#job = job
  }

  async once(): Promise<number> {
    this.#headers ??= await this.#open()
    const body = JSON.stringify({ language: 'sh', version: '*', files: [{ content: printed }] })
    const startedAt = performance.now()
    const answer = await fetch(`${this.#service.baseUrl}${path}`, {
      method: 'POST',
      headers: this.#headers,
      body,
    })
    const { run } = (await answer.json()) as { run?: { stdout: string; code: number } }
    const tookMs = performance.now() - startedAt
    if (run?.stdout !== '1\n' || run.code !== 0) throw new Error(`the door answered ${answer.status}`)
    return tookMs
  }

  /** Creates a door on the environment of the job. */
  async #open(): Promise<Record<string, string>> {
    const { client, chatroomId } = this.#job
    const [item] = (await client.call(allRoutes.readMenu, { params: { cid: chatroomId } })).items
    if (!item) throw new Error('the room has no job')
    const { environment_version_id } = await client.call(allRoutes.readTaskVersion, {
      params: { id: item.task_id, vid: this.#job.taskVersionId },
    })
    const { door_key } = await client.call(allRoutes.createDoor, {
      params: { cid: chatroomId },
      body: {
        name: 'bench',
        kind: 'piston',
        // The image has no shell of its own.
        runtimes: [{ language: 'sh', environment_version_id, run_command: 'exec /.sandbox/busybox sh "$@"' }],
      },
    })
    return { 'content-type': 'application/json', 'x-api-key': door_key }
  }

  forget(): void {
    // Nothing beside the samples is kept.
  }

  profile(): Promise<string> {
    return profileRuns(this.#service, () => this.#profiled(), profiledRuns)
  }

  /** One program, and then the look-up of its run, which its answer does not name. */
  async #profiled(): Promise<ProfiledRun> {
    const sentAt = Date.now()
    const totalMs = await this.once()
    const { client, chatroomId } = this.#job
    const { items } = await client.call(allRoutes.listRuns, {
      params: { cid: chatroomId },
      query: { page_size: 1 },
    })
    return { id: items[0]?.id ?? '', sentAt, totalMs }
  }

  notes(): string[] {
    return ['ours: a second shell is the language, and the answer has output, times and memory']
  }

  close(): void {
    // Connections close with the process.
  }
}
