import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { makeJob } from './harness/sandbox/bench-job.ts'
import { buildLauncher, Launcher } from './harness/sandbox/launcher.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { dockerRun, importBusybox, startDocker } from './peers/docker.ts'

/** Writes 1 GiB in lines of 64 bytes, by few and large writes, so that the measured time is that of the reader. */
const script = (folder: string) =>
  `yes 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde | head -c 4194304 >${folder}/lines; ` +
  `i=0; while [ $i -lt 256 ]; do cat ${folder}/lines; i=$((i+1)); done`
/** A round takes a minute for a peer that stores all of the log. */
const roundsMax = 5
const restMs = 500
const pollMs = 20
const pipeFloor = 'the same through a pipe to cat'
const peerName = 'docker logs (json-file)'

/** Reads 1 GiB of standard output from a job and stores it; docs in bench/README.md. */
export const logRate: Benchmark = {
  name: 'log-rate',
  about: 'a job that writes 1 GiB to its standard output, until its log is stored',
  run: async (options) => {
    options.say('log-rate: starting a service')
    return atService(join(tmpdir(), 'bench-log-rate-'), (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  const job = await makeJob(service, `${script('/workspace')}\n`)
  const timer = new RunTimer(job, { baseUrl: service.baseUrl, pollMs })
  const launcher = await buildLauncher(work)
  const errors = join(work, 'errors')
  const busybox = ['/bin/busybox', 'sh', '-c']
  const pipe = new Launcher({
    launcher,
    command: [...busybox, `{ ${script(work)}; } | cat >/dev/null`],
    errors,
  })
  const docker = options.peers ? await startDocker(join(work, 'docker')) : undefined
  try {
    let cpuMs = 0
    const ours = async () => {
      const before = await treeCpuMs(service.pid)
      const { totalMs } = await timer.once(0)
      cpuMs += (await treeCpuMs(service.pid)) - before
      return totalMs
    }
    const subjects: Subject[] = [
      { name: 'ours', once: ours },
      { name: pipeFloor, once: () => pipe.once() },
    ]
    if (docker) {
      await importBusybox(docker, join(work, 'docker'))
      const started = dockerRun(docker, ['sh', '-c', script('/tmp')], ['--detach', '--tmpfs', '/tmp'])
      const quoted = started.map((word) => `'${word}'`).join(' ')
      const client = docker.command().join(' ')
      const command = ['/bin/sh', '-ec', `id=$(${quoted}); ${client} wait $id; ${client} rm $id`]
      const run = new Launcher({ launcher, command, errors })
      subjects.push({ name: peerName, once: () => run.once() })
    }
    const rounds = Math.min(options.rounds, roundsMax)
    const machine = machineNote()
    const onRound = (round: number) => options.say(`log-rate: round ${round + 1} of ${rounds}`)
    await timer.once(0)
    cpuMs = 0
    const samples = await interleaved(subjects, { rounds, warmups: 0, restMs, onRound })
    const theirs = samples.get(peerName)
    return [
      rowOf({
        name: 'log-rate',
        ours: { samplesMs: samples.get('ours') ?? [], cpuMs: cpuMs / rounds },
        peer: {
          name: peerName,
          measured: theirs && { samplesMs: theirs, cpuMs: null },
          reach: { atMost: 0.2 },
          notes: theirs ? [] : ['docker is measured with --peers only'],
        },
        floor: { [pipeFloor]: rounded(percentile(samples.get(pipeFloor) ?? [], 0.5)) },
        notes: [
          `ours reads 1 GiB and stores the first and the last half of ${logMaxBytes / 1024 ** 2} MiB, synced; docker stores all of it, unsynced`,
          machine(),
        ],
      }),
    ]
  } finally {
    timer.close()
    await pipe.close()
    await docker?.stop()
  }
}
