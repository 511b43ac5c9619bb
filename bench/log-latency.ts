import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { type BenchJob, makeJob } from './harness/sandbox/bench-job.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { type Docker, dockerRun, importBusybox, startDocker } from './peers/docker.ts'

const run = promisify(execFile)
const peerName = 'docker logs -f (json-file)'
/** A round is seconds of lines: more rounds add no information. */
const roundsMax = 5
const linesEach = 40
/** Not a multiple of the interval at which any side polls logs. */
const pause = '0.137'
/** The sleep gives clients time to connect before the first line. */
const script = `sleep 1; i=0; while [ $i -lt ${linesEach} ]; do echo line | ts %.s; sleep ${pause}; i=$((i+1)); done`

/** Latency of a line from a job's write to a client that follows the log; docs in bench/README.md. */
export const logLatency: Benchmark = {
  name: 'log-latency',
  about: 'a line of a job from its write until a client that follows the log has it',
  run: async (options) => {
    options.say('log-latency: starting a service')
    return atService(join(tmpdir(), 'bench-log-latency-'), (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  const job = await makeJob(service, `${script}\n`)
  const calls = new RunCalls(job, { baseUrl: service.baseUrl, connections: 2 })
  const docker = options.peers ? await startDocker(join(work, 'docker')) : undefined
  const machine = machineNote()
  const ours: number[] = []
  const theirs: number[] = []
  try {
    if (docker) await importBusybox(docker, join(work, 'docker'))
    const rounds = Math.min(options.rounds, roundsMax)
    for (let round = 0; round < rounds; round += 1) {
      options.say(`log-latency: round ${round + 1} of ${rounds}`)
      ours.push(...(await followedRun(job, calls, service.baseUrl)))
      if (docker) theirs.push(...(await followedContainer(docker)))
    }
    return [
      rowOf({
        name: 'log-latency',
        ours: { samplesMs: ours, cpuMs: null },
        peer: {
          name: peerName,
          measured: docker && { samplesMs: theirs, cpuMs: null },
          reach: { atMost: 0.2 },
          notes: docker ? [] : ['docker is measured with --peers only'],
        },
        floor: {},
        notes: [
          `${linesEach} lines a round, one each ${pause} s, timed by the clock of the machine`,
          machine(),
        ],
      }),
    ]
  } finally {
    calls.close()
    await docker?.stop()
  }
}

async function followedRun(job: BenchJob, calls: RunCalls, baseUrl: string): Promise<number[]> {
  const { id } = await calls.submit()
  const path = allRoutes.followRunLog.path.replace('{cid}', job.chatroomId).replace('{rid}', id)
  const answer = await fetch(new URL(path, baseUrl), { headers: { 'x-api-key': job.apiKey } })
  if (!answer.ok || !answer.body) throw new Error(`following a log was refused: ${answer.status}`)
  return latencies(Readable.fromWeb(answer.body))
}

async function followedContainer(docker: Docker): Promise<number[]> {
  const command = async ([program = '', ...words]: string[]) => (await run(program, words)).stdout.trim()
  const id = await command(dockerRun(docker, ['sh', '-c', script], ['--detach']))
  const [program = '', ...words] = docker.command('logs', '--follow', id)
  const client = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(client, 'exit')
  const found = await latencies(client.stdout)
  await exited
  await command(docker.command('rm', '--force', id))
  return found
}

/** The age of each time in the stream when it arrived. */
async function latencies(stream: Readable): Promise<number[]> {
  const found: number[] = []
  for await (const line of createInterface(stream)) {
    const nowMs = performance.timeOrigin + performance.now()
    for (const [, at] of line.matchAll(/(\d+\.\d{6}) line/g)) found.push(nowMs - 1000 * Number(at))
  }
  if (found.length !== linesEach) throw new Error(`${found.length} of ${linesEach} lines arrived`)
  return found
}
