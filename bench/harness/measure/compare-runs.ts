import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PeerJob } from '../../peers/peer.ts'
import { type Contender, startPeers, stopPeers, type WantedPeer } from '../../peers/run-peers.ts'
import { type BenchJob, makeJob } from '../sandbox/bench-job.ts'
import { buildLauncher, Launcher } from '../sandbox/launcher.ts'
import { type BenchService, startService } from '../service/service.ts'
import type { BenchOptions } from './benchmark.ts'
import { commitFloor } from './commit-floor.ts'
import { machineNote } from './machine-note.ts'
import { percentile, rounded } from './percentile.ts'
import { treeCpuMs } from './process-cpu.ts'
import { interleaved, type Subject } from './rounds.ts'
import { type Row, rowOf } from './row.ts'

/** One run at a time through the API, compared with programs that start a container for the same job. */
export interface RunComparison {
  name: string
  job: PeerJob
  peers: readonly WantedPeer[]
  ours(service: BenchService, job: BenchJob): OurRuns
}

/** Our side of a round, and its own measurements. */
export interface OurRuns {
  once(): Promise<number>
  /** Discards the measurements so far, which were warm-up. */
  forget(): void
  notes(): string[]
  profile?(): Promise<string>
  close(): void
}

const warmups = 5
/** Runs before the measurement: a service in production has long passed its first runs. */
const serviceWarmups = 50
const restMs = 40
const execFloor = 'fork and exec of /bin/true'
const commitsFloor = 'two fsynced commits'

export async function compareRuns(comparison: RunComparison, options: BenchOptions): Promise<Row[]> {
  const work = await mkdtemp(join(tmpdir(), `bench-${comparison.name}-`))
  let service: BenchService | undefined
  try {
    options.say(`${comparison.name}: starting a service`)
    service = await startService()
    return await measure(comparison, { options, service, work })
  } finally {
    await service?.stop()
    await rm(work, { recursive: true, force: true })
  }
}

interface Setup {
  options: BenchOptions
  service: BenchService
  work: string
}

async function measure(comparison: RunComparison, { options, service, work }: Setup): Promise<Row[]> {
  const { say, rounds } = options
  say('building the job')
  const ours = comparison.ours(service, await makeJob(service, `${comparison.job.words.join(' ')}\n`))
  // The first run also installs the image; the peers are made from what it installed.
  await ours.once()
  const launcher = await buildLauncher(work)
  const contenders = await startPeers({
    launcher,
    folder: work,
    dataDir: service.dataDir,
    job: comparison.job,
    wanted: comparison.peers,
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
    const machine = machineNote()
    const cpuBeforeMs = await treeCpuMs(service.pid)
    const onRound = (round: number) => round % 20 === 0 && say(`round ${round} of ${rounds}`)
    const samples = await interleaved(subjects, { rounds, warmups: 0, restMs, onRound })
    const cpuMs = ((await treeCpuMs(service.pid)) - cpuBeforeMs) / rounds
    const notes = [
      ...ours.notes(),
      'ours: cpu is that of all processes of the service, including its idle work',
      machine(),
    ]
    if (options.profile && ours.profile) say(await ours.profile())
    return rowsOf(comparison.name, samples, contenders, { cpuMs, notes })
  } finally {
    ours.close()
    await Promise.all([exec.close(), commits.close(), stopPeers(contenders)])
  }
}

function rowsOf(
  benchmark: string,
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
      name: benchmark,
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
