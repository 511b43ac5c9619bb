import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manyRuns, unfinishedMax } from './harness/load/many-runs.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { type MeasuredRate, type RateResult, rateRowOf } from './harness/measure/rate-row.ts'
import { byTurns } from './harness/measure/rounds.ts'
import type { Reach, Row } from './harness/measure/row.ts'
import { makeJob, noOp } from './harness/sandbox/bench-job.ts'
import { buildLauncher } from './harness/sandbox/launcher.ts'
import { type BenchService, startService } from './harness/service/service.ts'
import type { PeerParts } from './peers/peer.ts'
import { graphileCrun, peerSlots, type RatePeer, xargsCrun, xargsTrue } from './peers/rate-peers.ts'

const runsEach = 100
const warmups = 1
/** A round is hundreds of runs: more rounds add no information. */
const roundsMax = 7
const floorName = 'xargs -P of /bin/true, each'

/** Completed runs per second, compared with starting crun as fast as possible; docs in bench/README.md. */
export const runRate: Benchmark = {
  name: 'run-rate',
  about: 'completed runs per second over HTTP, a job that does nothing',
  run: async (options) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-run-rate-'))
    const open: (() => Promise<void>)[] = [() => rm(work, { recursive: true, force: true })]
    try {
      options.say('run-rate: starting a service')
      const service = await startService()
      open.push(() => service.stop())
      return await measure(options, { service, work, open })
    } finally {
      for (const close of open.reverse()) await close()
    }
  },
}

interface Setup {
  service: BenchService
  work: string
  open: (() => Promise<void>)[]
}

interface Subject extends MeasuredRate {
  name: string
  reach?: Reach
  peer: RatePeer | undefined
  results: RateResult[]
  cpuMs: number
  notes: string[]
}

async function measure(options: BenchOptions, { service, work, open }: Setup): Promise<Row[]> {
  const calls = new RunCalls(await makeJob(service, noOp), { baseUrl: service.baseUrl, connections: 8 })
  open.push(async () => calls.close())
  // The first runs also install the image; the peers are made from what they installed.
  await manyRuns(calls, 1)
  const launcher = await buildLauncher(work)
  const partsIn = async (name: string): Promise<PeerParts> => {
    const folder = join(work, name)
    await mkdir(folder)
    const job = { words: ['true'], timed: 'end' } as const
    return { launcher, folder, dataDir: service.dataDir, job }
  }
  const ours: RatePeer = {
    many: (count) => manyRuns(calls, count),
    cpuMs: () => treeCpuMs(service.pid),
    close: async () => undefined,
  }
  const subjects: Subject[] = [
    { name: 'ours', peer: ours, results: [], cpuMs: 0, notes: [] },
    await subjectOf(floorName, async () => xargsTrue(await partsIn('true'), runsEach)),
    await subjectOf('xargs -P crun', async () => xargsCrun(await partsIn('xargs'), runsEach), {
      atLeast: 0.85,
    }),
    ...(options.peers
      ? [
          await subjectOf('graphile-worker, crun', async () => graphileCrun(await partsIn('graphile')), {
            atLeast: 2,
          }),
        ]
      : []),
  ]
  for (const { peer } of subjects) if (peer) open.push(() => peer.close())
  const rounds = Math.min(options.rounds, roundsMax)
  const machine = machineNote()
  const onRound = (round: number) => options.say(`run-rate: round ${round + 1} of ${rounds}`)
  await byTurns(subjects, { rounds, warmups, onRound }, oneRound)
  return rowsOf(subjects, [
    `${runsEach} runs a round, ${rounds} rounds by turns; the peers start ${peerSlots} at once`,
    `ours: submitted over 8 connections while no more than ${unfinishedMax} are unfinished; ends are detected by listing the newest runs, and the rate is until the last terminal_at`,
    'ours: p50 and p99 are from queued_at to terminal_at, most of it waiting for a slot',
    'ours: all processes of the service count for cpu, and the submitting client uses processor time of the same machine',
    machine(),
  ])
}

/** A peer counts once it has done the job. */
async function subjectOf(name: string, start: () => Promise<RatePeer>, reach?: Reach): Promise<Subject> {
  const subject = { name, ...(reach && { reach }), results: [], cpuMs: 0 }
  let peer: RatePeer | undefined
  try {
    peer = await start()
    await peer.many(runsEach)
    return { ...subject, peer, notes: [] }
  } catch (error) {
    await peer?.close()
    return { ...subject, peer: undefined, notes: [`${name} does not run here: ${error}`] }
  }
}

async function oneRound(subject: Subject, counts: boolean): Promise<void> {
  const { peer } = subject
  if (!peer) return
  const before = await peer.cpuMs()
  const { tookMs, samplesMs } = await peer.many(runsEach)
  if (!counts) return
  subject.cpuMs += (await peer.cpuMs()) - before
  subject.results.push({
    answers: runsEach,
    ratePerSecond: (runsEach * 1000) / tookMs,
    ...(samplesMs && { p50Ms: percentile(samplesMs, 0.5), p99Ms: percentile(samplesMs, 0.99) }),
  })
}

function rowsOf(subjects: readonly Subject[], notes: string[]): Row[] {
  const [ours, floor, ...peers] = subjects
  if (!ours || !floor) throw new Error('nothing was measured')
  const floorMs = rounded(
    percentile(
      floor.results.map(({ ratePerSecond }) => 1000 / ratePerSecond),
      0.5,
    ),
  )
  return peers.map(({ name, peer, reach = { atLeast: 1 }, notes: theirs, ...measured }) =>
    rateRowOf({
      name: 'run-rate',
      ours,
      peer: { name, measured: peer && measured, reach },
      floor: { [floorName]: floorMs },
      notes: [...notes, ...theirs],
    }),
  )
}
