import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unfinishedMax } from './harness/load/many-runs.ts'
import { buildSteadily, noLoad, submitSteadily } from './harness/load/mixed-load.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import { figuresOf, type Row, reached, reachText } from './harness/measure/row.ts'
import { makeJob } from './harness/sandbox/bench-job.ts'
import { Author } from './harness/service/author.ts'
import { atService, type Setup } from './harness/service/service.ts'

const reach = { atMost: 3 }
const roundsMax = 3
const idleMs = 5000
const busyMs = 15_000
const pollIntervalMs = 20
const runsPerSecond = 50
/** A few lines of log in every run. */
const script = 'seq 1 200\n'
const endPollMs = 500

/** Latency of reads under runs, their logs and a build, over that of an idle service; docs in bench/README.md. */
export const mixed: Benchmark = {
  name: 'mixed',
  about: `p99 of reading a run under ${runsPerSecond} runs a second, their logs and builds, over that when idle`,
  run: async (options) => {
    options.say('mixed: starting a service')
    return atService(join(tmpdir(), 'bench-mixed-'), (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service }: Setup): Promise<Row[]> {
  const job = await makeJob(service, script)
  const author = await Author.with(job.client)
  const reading = new RunCalls(job, { baseUrl: service.baseUrl, connections: 1 })
  const loading = new RunCalls(job, { baseUrl: service.baseUrl, connections: 8 })
  const [idle, busy]: [number[], number[]] = [[], []]
  const load = noLoad()
  let unfinished = 0
  const machine = machineNote()
  try {
    const { id } = await reading.submit()
    const rounds = Math.min(options.rounds, roundsMax)
    for (let round = 0; round < rounds; round += 1) {
      options.say(`mixed: round ${round + 1} of ${rounds}`)
      idle.push(...(await timeReads(reading, id, idleMs)))
      const until = performance.now() + busyMs
      const submitting = submitSteadily(loading, load, { runsPerSecond, until })
      const building = buildSteadily(author, load, until)
      busy.push(...(await timeReads(reading, id, busyMs)))
      unfinished += await unfinishedNow(reading)
      await Promise.all([submitting, building])
      while ((await loading.newest(100)).some(({ terminal_at: end }) => end === null)) await sleep(endPollMs)
    }
    const completed = load.accepted - unfinished
    const seconds = (rounds * busyMs) / 1000
    const idleP99 = rounded(percentile(idle, 0.99))
    const ratio = rounded(percentile(busy, 0.99) / idleP99)
    return [
      {
        name: 'mixed',
        ours: figuresOf(busy),
        peer: 'idle, p99',
        peer_ms: idleP99,
        ratio,
        reach: reachText(reach),
        // Under less than the offered load the ratio proves nothing.
        met: reached(ratio, reach) && completed >= load.offered,
        floor: {},
        cpu_ms: { ours: null, peer: null },
        notes: [
          `the ratio is that of p99; ${busy.length} reads under load, ${idle.length} idle, one every ${pollIntervalMs} ms`,
          `${runsPerSecond} runs offered a second: ${rounded(load.accepted / seconds)} accepted, ${rounded(completed / seconds)} completed a second; ${load.builds} builds`,
          machine(),
        ],
      },
    ]
  } finally {
    reading.close()
    loading.close()
  }
}

/** Milliseconds of each response. */
async function timeReads(calls: RunCalls, id: string, forMs: number): Promise<number[]> {
  const samplesMs: number[] = []
  for (const until = performance.now() + forMs; performance.now() < until; await sleep(pollIntervalMs)) {
    const startedAt = performance.now()
    await calls.read(id)
    samplesMs.push(performance.now() - startedAt)
  }
  return samplesMs
}

/** Runs that have not ended; the queue bound is below the number of rows that are read. */
async function unfinishedNow(calls: RunCalls): Promise<number> {
  const newest = await calls.newest(2 * unfinishedMax)
  return newest.filter(({ terminal_at: end }) => end === null).length
}
