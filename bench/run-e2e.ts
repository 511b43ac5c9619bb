import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Benchmark, BenchOptions } from './harness/benchmark.ts'
import { commitFloor } from './harness/commit-floor.ts'
import { buildLauncher, Launcher } from './harness/launcher.ts'
import { makeNoOpJob } from './harness/no-op-job.ts'
import { percentile, rounded } from './harness/percentile.ts'
import { treeCpuMs } from './harness/process-cpu.ts'
import { interleaved, type Subject } from './harness/rounds.ts'
import { type Row, rowOf } from './harness/row.ts'
import { type BenchService, startService } from './harness/service.ts'
import { RunTimer, type TimedRun } from './harness/submit-and-wait.ts'
import { type Contender, startPeers, stopPeers } from './peers/run-peers.ts'
import { profileRuns } from './profile/run-profile.ts'

const warmups = 5
/** Runs before: a service has done more than five when anybody minds its speed. */
const serviceWarmups = 50
const profiledRuns = 50
const restMs = 40
const pollMs = 1
const execFloor = 'fork and exec of /bin/true'
const commitsFloor = 'two fsynced commits'

/** Submit to terminal over HTTP against the programs that start a container; docs in bench/README.md. */
export const runE2e: Benchmark = {
  name: 'run-e2e',
  about: 'submit to terminal over HTTP, durable, a job that does nothing in the full sandbox',
  run: async (options) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-run-e2e-'))
    let service: BenchService | undefined
    try {
      options.say('starting a service')
      service = await startService()
      return await measure(options, service, work)
    } finally {
      await service?.stop()
      await rm(work, { recursive: true, force: true })
    }
  },
}

async function measure(options: BenchOptions, service: BenchService, work: string): Promise<Row[]> {
  const { say, rounds } = options
  say('building the job')
  const timer = new RunTimer(await makeNoOpJob(service), { baseUrl: service.baseUrl, pollMs })
  const ours = new OurRuns(timer)
  // The first run also installs the image, and the peers are made from what it installed.
  await ours.once()
  const launcher = await buildLauncher(work)
  const contenders = await startPeers({
    launcher,
    folder: work,
    dataDir: service.dataDir,
    peers: options.peers,
    say,
  })
  const exec = new Launcher({ launcher, command: ['/bin/true'], errors: join(work, 'errors') })
  const commits = await commitFloor(service.dataDir)
  try {
    const subjects: Subject[] = [
      { name: 'ours', once: () => ours.once() },
      { name: execFloor, once: () => exec.once() },
      { name: commitsFloor, once: () => commits.once() },
      ...contenders.flatMap(({ name, peer }) => (peer ? [{ name, once: () => peer.launcher.once() }] : [])),
    ]
    say('warming up')
    for (let run = 0; run < serviceWarmups; run += 1) await ours.once()
    await interleaved(subjects, { rounds: 0, warmups, restMs })
    ours.forget()
    const [loadBefore = 0] = loadavg()
    const cpuBeforeMs = await treeCpuMs(service.pid)
    const onRound = (round: number) => round % 20 === 0 && say(`round ${round} of ${rounds}`)
    const samples = await interleaved(subjects, { rounds, warmups: 0, restMs, onRound })
    const cpuMs = ((await treeCpuMs(service.pid)) - cpuBeforeMs) / rounds
    if (options.profile) say(await profileRuns(service, () => ours.timed(), profiledRuns))
    return rowsOf(samples, contenders, { cpuMs, notes: [...ours.notes(), machineNote(loadBefore)] })
  } finally {
    timer.close()
    await Promise.all([exec.close(), commits.close(), stopPeers(contenders)])
  }
}

/** A load that others make slows all subjects, and those that use more processes most. */
function machineNote(loadBefore: number): string {
  const [loadAfter = 0] = loadavg()
  const loads = `${loadBefore.toFixed(1)} when the rounds began and ${loadAfter.toFixed(1)} when they ended`
  return `machine: ${availableParallelism()} processors, load average ${loads}`
}

/** Our side of a round, and what it tells about itself. */
class OurRuns {
  readonly #timer: RunTimer
  #runs: TimedRun[] = []
  #fastestMs = 0

  constructor(timer: RunTimer) {
    this.#timer = timer
  }

  async once(): Promise<number> {
    return (await this.timed()).totalMs
  }

  /** Does not ask before four fifths of the fastest run so far: no run has ended by then. */
  async timed(): Promise<TimedRun> {
    const run = await this.#timer.once(this.#fastestMs * 0.8)
    this.#fastestMs = this.#fastestMs === 0 ? run.totalMs : Math.min(this.#fastestMs, run.totalMs)
    this.#runs.push(run)
    return run
  }

  forget(): void {
    this.#runs = []
  }

  notes(): string[] {
    const median = (of: (run: TimedRun) => number) => rounded(percentile(this.#runs.map(of), 0.5))
    return [
      `ours: ends are seen by asking again ${pollMs} ms after each answer, ${median((run) => run.polls)} times a run; ` +
        `submit is acknowledged after ${median((run) => run.submitMs)} ms, ` +
        `the service's own queued_at to terminal_at is ${median((run) => run.serviceMs)} ms (medians)`,
      'ours: cpu is that of every process of the service, its idle work included',
    ]
  }
}

function rowsOf(
  samples: Map<string, number[]>,
  contenders: Contender[],
  ours: { cpuMs: number; notes: string[] },
): Row[] {
  const samplesOf = (name: string) => samples.get(name) ?? []
  const floor = Object.fromEntries(
    [execFloor, commitsFloor].map((name) => [name, rounded(percentile(samplesOf(name), 0.5))]),
  )
  return contenders.map(({ name, reach, peer, notes }) =>
    rowOf({
      name: 'run-e2e',
      ours: { samplesMs: samplesOf('ours'), cpuMs: ours.cpuMs },
      peer: {
        name,
        measured: peer && { samplesMs: samplesOf(name), cpuMs: peer.cpuMs() },
        reach,
        notes,
      },
      floor,
      notes: ours.notes,
    }),
  )
}
