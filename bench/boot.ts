import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { figuresOf, type Row, rowOf } from './harness/measure/row.ts'
import { makeJob, noOp } from './harness/sandbox/bench-job.ts'
import { buildLauncher, Launcher } from './harness/sandbox/launcher.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { dockerRun, importBusybox, startDocker } from './peers/docker.ts'

const limitMs = 3000
const warmups = 1
/** A round takes several seconds. */
const roundsMax = 15
const restMs = 200
const pollMs = 2
const nodeFloor = 'a Node that starts and ends'
const peerName = 'dockerd and docker run'

/** Time from the start of the service to the end of its first job; docs in bench/README.md. */
export const boot: Benchmark = {
  name: 'boot',
  about: 'start of the service on an existing database to the end of its first job',
  run: async (options) => {
    options.say('boot: starting a service for the first time')
    return atService(join(tmpdir(), 'bench-boot-'), (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  const job = await makeJob(service, noOp)
  const timer = () => new RunTimer(job, { baseUrl: service.baseUrl, pollMs })
  await firstJob(timer())
  await service.pause()
  const launcher = await buildLauncher(work)
  const errors = join(work, 'errors')
  const node = new Launcher({ launcher, command: [process.execPath, '-e', '0'], errors })
  const ours = async () => {
    const startedAt = performance.now()
    await service.resume()
    await firstJob(timer())
    const tookMs = performance.now() - startedAt
    await service.pause()
    return tookMs
  }
  const docker = options.peers ? await dockerBoot(launcher, join(work, 'docker')) : undefined
  const subjects: Subject[] = [
    { name: 'ours', once: ours },
    { name: nodeFloor, once: () => node.once() },
    ...(docker ? [{ name: peerName, once: docker }] : []),
  ]
  const rounds = Math.min(options.rounds, roundsMax)
  const machine = machineNote()
  const onRound = (round: number) => options.say(`boot: round ${round + 1} of ${rounds}`)
  try {
    const samples = await interleaved(subjects, { rounds, warmups, restMs, onRound })
    return rowsOf(samples, [
      'boot: ours is from the start of `sandbox up`, including its Postgres, on the data folder of a service that was stopped in order',
      machine(),
    ])
  } finally {
    await node.close()
  }
}

async function firstJob(timer: RunTimer): Promise<void> {
  try {
    await timer.once(0)
  } finally {
    timer.close()
  }
}

/** The daemon starts on a folder that it has used before, and stops after each job. */
async function dockerBoot(launcher: string, folder: string): Promise<() => Promise<number>> {
  const first = await startDocker(folder)
  await importBusybox(first, folder).finally(() => first.stop())
  return async () => {
    const startedAt = performance.now()
    const daemon = await startDocker(folder)
    const client = new Launcher({
      launcher,
      command: dockerRun(daemon, ['true']),
      errors: join(folder, 'errors'),
    })
    try {
      await client.once()
      return performance.now() - startedAt
    } finally {
      await client.close()
      await daemon.stop()
    }
  }
}

function rowsOf(samples: Map<string, number[]>, notes: string[]): Row[] {
  const samplesMs = samples.get('ours') ?? []
  const ours = { samplesMs, cpuMs: null }
  const floor = { [nodeFloor]: rounded(percentile(samples.get(nodeFloor) ?? [], 0.5)) }
  const own = figuresOf(samplesMs)
  const bar: Row = {
    name: 'boot',
    ours: own,
    peer: `${limitMs / 1000} s`,
    peer_ms: limitMs,
    ratio: rounded(own.p50_ms / limitMs),
    reach: 'at most 1 x',
    met: own.p50_ms <= limitMs,
    floor,
    cpu_ms: { ours: null, peer: null },
    notes,
  }
  const theirs = samples.get(peerName)
  if (!theirs) return [bar]
  const peer = { name: peerName, measured: { samplesMs: theirs, cpuMs: null }, reach: undefined, notes: [] }
  return [bar, rowOf({ name: 'boot', ours, peer, floor, notes })]
}
