import { RunTimer } from '../load/submit-and-wait.ts'
import type { BenchJob } from '../sandbox/bench-job.ts'
import type { BenchOptions } from './benchmark.ts'
import { machineNote } from './machine-note.ts'
import { interleaved, type Subject } from './rounds.ts'
import { type Row, rowOf } from './row.ts'

/** A job and its service. */
export interface TimedJob {
  name: string
  job: BenchJob
  baseUrl: string
}

export interface JobComparison {
  name: string
  ours: TimedJob
  peer: TimedJob
  /** Our time, of the peer's. */
  reach: { atMost: number }
  warmups: number
  note: string
}

const restMs = 40
const pollMs = 1

/** From the submission of a run to its end, of one job and another in turns. */
export async function compareJobs(
  { name, ours, peer, reach, warmups, note }: JobComparison,
  { rounds, say }: BenchOptions,
): Promise<Row[]> {
  const sides = [timedRuns(ours), timedRuns(peer)]
  try {
    const machine = machineNote()
    const onRound = (round: number) => round % 20 === 0 && say(`round ${round} of ${rounds}`)
    const samples = await interleaved(sides, { rounds, warmups, restMs, onRound })
    const measured = (side: TimedJob) => ({ samplesMs: samples.get(side.name) ?? [], cpuMs: null })
    return [
      rowOf({
        name,
        ours: measured(ours),
        peer: { name: `the same ${peer.name}`, measured: measured(peer), reach, notes: [] },
        floor: {},
        notes: [`${note}; ends are detected by polling ${pollMs} ms after each response`, machine()],
      }),
    ]
  } finally {
    for (const { close } of sides) close()
  }
}

/** One run at a time. Does not poll before four fifths of the fastest run so far: no run has ended by then. */
function timedRuns({ name, job, baseUrl }: TimedJob): Subject & { close: () => void } {
  const timer = new RunTimer(job, { baseUrl, pollMs })
  let fastestMs = Number.POSITIVE_INFINITY
  const once = async () => {
    const { totalMs } = await timer.once(Number.isFinite(fastestMs) ? fastestMs * 0.8 : 0)
    fastestMs = Math.min(fastestMs, totalMs)
    return totalMs
  }
  return { name, once, close: () => timer.close() }
}
