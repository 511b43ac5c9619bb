import { RunTimer, type TimedRun } from './harness/load/submit-and-wait.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareRuns, type OurRuns } from './harness/measure/compare-runs.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import type { BenchJob } from './harness/sandbox/bench-job.ts'
import type { BenchService } from './harness/service/service.ts'
import { profileRuns } from './profile/run-profile.ts'

const profiledRuns = 50
const pollMs = 1

/** Submit to terminal over HTTP, compared with programs that start a container; docs in bench/README.md. */
export const runE2e: Benchmark = {
  name: 'run-e2e',
  about: 'submit to terminal over HTTP, durable, a job that does nothing in the full sandbox',
  run: (options) =>
    compareRuns(
      {
        name: 'run-e2e',
        job: { words: ['true'], timed: 'end' },
        peers: [
          { name: 'crun run', reach: { atMost: 1.5 } },
          { name: 'crun run, only true' },
          { name: 'docker run', reach: { atMost: 0.05 } },
          { name: 'podman run' },
        ],
        ours: (service, job) => new RunsToTheirEnd(service, job),
      },
      options,
    ),
}

class RunsToTheirEnd implements OurRuns {
  readonly #service: BenchService
  readonly #timer: RunTimer
  #runs: TimedRun[] = []
  #fastestMs = 0

  constructor(service: BenchService, job: BenchJob) {
    this.#service = service
    this.#timer = new RunTimer(job, { baseUrl: service.baseUrl, pollMs })
  }

  async once(): Promise<number> {
    return (await this.#timed()).totalMs
  }

  forget(): void {
    this.#runs = []
  }

  profile(): Promise<string> {
    return profileRuns(this.#service, () => this.#timed(), profiledRuns)
  }

  close(): void {
    this.#timer.close()
  }

  notes(): string[] {
    const median = (of: (run: TimedRun) => number) => rounded(percentile(this.#runs.map(of), 0.5))
    return [
      `ours: ends are detected by polling ${pollMs} ms after each response, ${median((run) => run.polls)} times a run; ` +
        `submit is acknowledged after ${median((run) => run.submitMs)} ms, ` +
        `the service's own queued_at to terminal_at is ${median((run) => run.serviceMs)} ms (medians)`,
    ]
  }

  /** Does not poll before four fifths of the fastest run so far: no run has ended by then. */
  async #timed(): Promise<TimedRun> {
    const run = await this.#timer.once(this.#fastestMs * 0.8)
    this.#fastestMs = this.#fastestMs === 0 ? run.totalMs : Math.min(this.#fastestMs, run.totalMs)
    this.#runs.push(run)
    return run
  }
}
