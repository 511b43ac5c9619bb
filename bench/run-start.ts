import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentPaths } from '../agent/host/paths.ts'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareRuns, type OurRuns } from './harness/measure/compare-runs.ts'
import type { BenchJob } from './harness/sandbox/bench-job.ts'
import type { BenchService } from './harness/service/service.ts'

const pollIntervalMs = 1
/** No poll before this, so that polling does not slow what is timed. */
const quietMs = 100
const pollMs = 5

/**
 * Submit to the first byte of the job's log, compared with programs that start a container; docs in bench/README.md.
 */
export const runStart: Benchmark = {
  name: 'run-start',
  about: 'submit over HTTP to the first byte that the job writes, in its log on disk',
  run: (options) =>
    compareRuns(
      {
        name: 'run-start',
        job: { words: ['echo', 'started'], timed: 'output' },
        peers: [{ name: 'crun run', reach: { atMost: 0.25 } }, { name: 'docker run' }],
        ours: (service, job) => new RunsToTheirFirstByte(service, job),
      },
      options,
    ),
}

class RunsToTheirFirstByte implements OurRuns {
  readonly #sandboxes: string
  readonly #timer: RunTimer

  constructor(service: BenchService, job: BenchJob) {
    this.#sandboxes = agentPaths(service.dataDir).sandboxes
    this.#timer = new RunTimer(job, { baseUrl: service.baseUrl, pollMs })
  }

  async once(): Promise<number> {
    const before = new Set(await this.#written())
    const startedAt = performance.now()
    const ended = this.#timer.once(quietMs)
    let firstMs: number | undefined
    let over = false
    const watched = ended.finally(() => {
      over = true
    })
    watched.catch(() => undefined)
    while (firstMs === undefined && !over) {
      const written = await this.#written()
      if (written.some((folder) => !before.has(folder))) firstMs = performance.now() - startedAt
      else await sleep(pollIntervalMs)
    }
    await watched
    if (firstMs === undefined) throw new Error('a run ended before a byte of its log was found')
    return firstMs
  }

  forget(): void {}

  notes(): string[] {
    return [
      `ours: the first byte is detected by polling the logs in the agent's folder, ${pollIntervalMs} ms after each poll`,
    ]
  }

  close(): void {
    this.#timer.close()
  }

  /** Folders of the sandboxes whose log has a byte; the log of a sandbox that was made ahead is empty. */
  async #written(): Promise<string[]> {
    const folders = await readdir(this.#sandboxes)
    return folders.filter(
      (folder) =>
        (statSync(join(this.#sandboxes, folder, 'log.head'), { throwIfNoEntry: false })?.size ?? 0) > 0,
    )
  }
}
