import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Author } from './harness/author.ts'
import { makeJob } from './harness/bench-job.ts'
import type { Benchmark, BenchOptions } from './harness/benchmark.ts'
import { machineNote } from './harness/machine-note.ts'
import { unfinishedMax } from './harness/many-runs.ts'
import { percentile, rounded } from './harness/percentile.ts'
import { figuresOf, type Row, reached, reachText } from './harness/row.ts'
import { RunCalls } from './harness/run-calls.ts'
import { atService, type Place } from './harness/service.ts'

const reach = { atMost: 3 }
const roundsMax = 3
const idleMs = 5000
const busyMs = 15_000
const askEveryMs = 20
const runsPerSecond = 50
/** Some lines of log in every run. */
const script = 'seq 1 200\n'
const buildPollMs = 500
/** What the service refuses is no load: that many may be queued. */
const refused = /^429/

/** What asking costs while runs, their logs and a build go on, over the same in an idle service; docs in bench/README.md. */
export const mixed: Benchmark = {
  name: 'mixed',
  about: `p99 of reading a run beside ${runsPerSecond} runs a second, their logs and builds, over that when idle`,
  run: async (options) => {
    options.say('mixed: starting a service')
    return atService(join(tmpdir(), 'bench-mixed-'), (place) => measure(options, place))
  },
}

async function measure(options: BenchOptions, { service }: Place): Promise<Row[]> {
  const job = await makeJob(service, script)
  const author = await Author.with(job.client)
  const asking = new RunCalls(job, { baseUrl: service.baseUrl, connections: 1 })
  const loading = new RunCalls(job, { baseUrl: service.baseUrl, connections: 8 })
  const [idle, busy]: [number[], number[]] = [[], []]
  const load = { offered: 0, taken: 0, builds: 0 }
  let unfinished = 0
  const machine = machineNote()
  try {
    const { id } = await asking.submit()
    const rounds = Math.min(options.rounds, roundsMax)
    for (let round = 0; round < rounds; round += 1) {
      options.say(`mixed: round ${round + 1} of ${rounds}`)
      idle.push(...(await ask(asking, id, idleMs)))
      const until = performance.now() + busyMs
      const submitting = submit(loading, load, until)
      const building = build(author, load, until)
      busy.push(...(await ask(asking, id, busyMs)))
      unfinished += await unfinishedNow(asking)
      await Promise.all([submitting, building])
      while ((await loading.newest(100)).some(({ terminal_at: end }) => end === null))
        await sleep(buildPollMs)
    }
    const completed = load.taken - unfinished
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
        // Beside less than what is offered, nothing is shown.
        met: reached(ratio, reach) && completed >= load.offered,
        floor: {},
        cpu_ms: { ours: null, peer: null },
        notes: [
          `the ratio is that of p99; ${busy.length} questions beside the load, ${idle.length} idle, one every ${askEveryMs} ms`,
          `${runsPerSecond} runs offered a second: ${rounded(load.taken / seconds)} taken, ${rounded(completed / seconds)} completed a second; ${load.builds} builds`,
          machine(),
        ],
      },
    ]
  } finally {
    asking.close()
    loading.close()
  }
}

/** Milliseconds of each answer. */
async function ask(calls: RunCalls, id: string, forMs: number): Promise<number[]> {
  const samplesMs: number[] = []
  for (const until = performance.now() + forMs; performance.now() < until; await sleep(askEveryMs)) {
    const begun = performance.now()
    await calls.read(id)
    samplesMs.push(performance.now() - begun)
  }
  return samplesMs
}

/** Submits by the clock, whatever becomes of those before. */
async function submit(
  calls: RunCalls,
  load: { offered: number; taken: number },
  until: number,
): Promise<void> {
  const answers: Promise<void>[] = []
  const begun = performance.now()
  for (let count = 0; performance.now() < until; count += 1) {
    load.offered += 1
    const taken = calls.submit().then(
      () => {
        load.taken += 1
      },
      (error: unknown) => {
        if (!(error instanceof Error && refused.test(error.message))) throw error
      },
    )
    taken.catch(() => undefined)
    answers.push(taken)
    await sleep(Math.max(0, begun + ((count + 1) * 1000) / runsPerSecond - performance.now()))
  }
  await Promise.all(answers)
}

/** One build after another, each of another file. */
async function build(author: Author, load: { builds: number }, until: number): Promise<void> {
  const uploaded = await author.upload({ Dockerfile: 'FROM scratch\nCOPY motd /motd\n', motd: randomUUID() })
  while (performance.now() < until) {
    await author.build(uploaded, { pollMs: buildPollMs })
    load.builds += 1
  }
}

/** Runs that have not ended; no more can be queued at once than are looked at. */
async function unfinishedNow(calls: RunCalls): Promise<number> {
  const newest = await calls.newest(2 * unfinishedMax)
  return newest.filter(({ terminal_at: end }) => end === null).length
}
