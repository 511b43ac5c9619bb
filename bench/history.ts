import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { sql } from 'kysely'
import { Directory } from '../server/access/directory/directory.ts'
import { createLog } from '../server/base/logging.ts'
import { runCapacity } from '../server/capacity/run-capacity.ts'
import type { Database } from '../server/db/database.ts'
import { finishRun } from '../server/runs/drive/finish-run.ts'
import { failed } from '../server/runs/model/run-outcome.ts'
import { claimNext } from '../server/runs/queue/claim-store.ts'
import { foldLiveRuns } from '../server/runs/queue/live-run-store.ts'
import { queuePolicy } from '../server/runs/queue/queue-policy.ts'
import { sweepRunContent } from '../server/runs/retention/run-retention.ts'
import { SubmissionQueue } from '../server/runs/submit/submission-queue.ts'
import { submitRun } from '../server/runs/submit/submit-run.ts'
import { DiskStorage } from '../server/storage/disk.ts'
import { Runnables, validateInput } from '../server/tasks/menu/runnable.ts'
import { insertHistory } from './harness/load/ended-runs.ts'
import { settle } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { rounded } from './harness/measure/percentile.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Row, reached, reachText, rowOf } from './harness/measure/row.ts'
import { backendOf } from './harness/service/backend.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { makeTenants } from './harness/service/tenants.ts'
import { noOutputs } from './no-outputs.ts'

const companies = 20
const few = 1000
const manyMax = 200_000
const warmups = 2
const roundsMax = 30
/** Processor time is counted in hundredths of a second, so operations are counted together. */
const runsPerRound = 30
/** As many as one round of retention removes. */
const removedPerRound = 2000
/** Older than any content is kept by default, and newer. */
const overdueDays = 40
const keptDays = 5

/** Cost of a run beside ended ones, and of the removal of their content; docs in bench/README.md. */
export const history: Benchmark = {
  name: 'history',
  about: 'a run beside many ended ones, and retention: its processor time, and the space it gives back',
  run: async ({ rounds, rows: wanted, say }) => {
    const many = Math.min(wanted, manyMax)
    const open: OwnDatabase[] = []
    const beside = async (ended: number): Promise<Side> => {
      say(`history: ${ended} ended runs`)
      const database = await startDatabase(1)
      open.push(database)
      return makeSide(database, ended)
    }
    try {
      const sides = { many: await beside(many), few: await beside(few) }
      const subjects: Subject[] = [
        { name: 'many', once: sides.many.run },
        { name: 'few', once: sides.few.run },
        { name: 'removal', once: sides.many.remove },
      ]
      const machine = machineNote()
      const samples = await interleaved(subjects, {
        rounds: Math.min(rounds, roundsMax),
        warmups,
        restMs: 0,
      })
      const { many: run = [], few: runOfFew = [], removal = [] } = Object.fromEntries(samples)
      return [
        cpuRow({
          ...{ name: 'a run', ours: run, peer: `${few} ended`, theirs: runOfFew, atMost: 1.2 },
          notes: [
            `processor milliseconds of a submission, a claim and an end in the database, beside ${many} ended runs`,
            machine(),
          ],
        }),
        cpuRow({
          ...{ name: 'removal', ours: removal, peer: 'a run', theirs: run, atMost: 0.1 },
          notes: [
            `the same for the removal of a run's input, events and content, of ${removedPerRound} a round`,
          ],
        }),
        spaceRow(sides.many.sizes.slice(warmups - 1)),
      ]
    } finally {
      for (const database of open) await database.stop()
    }
  },
}

interface Compared {
  name: string
  ours: number[]
  peer: string
  theirs: number[]
  atMost: number
  notes: string[]
}

const cpuRow = ({ name, ours, peer, theirs, atMost, notes }: Compared): Row =>
  rowOf({
    name: `history: ${name}`,
    ours: { samplesMs: ours, cpuMs: null },
    peer: { name: peer, measured: { samplesMs: theirs, cpuMs: null }, reach: { atMost }, notes: [] },
    floor: {},
    notes,
  })

/** The size at the end over that after the first of these rounds. */
function spaceRow(sizes: readonly number[]): Row {
  const [first = Number.NaN] = sizes
  const last = sizes.at(-1) ?? Number.NaN
  const reach = { atMost: 1.2 }
  const ratio = rounded(last / first)
  return {
    name: 'history: space',
    ours: null,
    mib: rounded(last),
    peer: 'after the warm-up',
    peer_ms: null,
    ratio,
    reach: reachText(reach),
    met: reached(ratio, reach),
    floor: {},
    cpu_ms: { ours: null, peer: null },
    notes: [
      `${rounded(last)} MiB of inputs and events after ${sizes.length - 1} rounds, ${rounded(first)} MiB before; ${removedPerRound} runs come and go in each`,
    ],
  }
}

interface Side {
  /** Processor time of a run. */
  run: () => Promise<number>
  /** Of the removal of one. */
  remove: () => Promise<number>
  /** Mebibytes after each removal. */
  sizes: number[]
}

async function makeSide({ db, folder }: OwnDatabase, ended: number): Promise<Side> {
  const tenants = await makeTenants(db, { companies, roomsEach: 2, pepper: randomBytes(32) })
  const [submitter] = tenants
  if (!submitter) throw new Error('no companies')
  await insertHistory(db, tenants, { first: 0, count: ended, daysAgo: keptDays })
  await settle(db)
  const policy = queuePolicy('hosted', runCapacity({ slots: 16 }))
  const deps = {
    ...{ db, policy, validateInput },
    directory: new Directory(db),
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    outputs: noOutputs(db),
  }
  const once = async (): Promise<void> => {
    const { text } = await submitRun(deps, {
      principal: submitter.member,
      chatroomId: submitter.roomIds[0] ?? '',
      idempotencyKey: randomUUID(),
      body: { task_version_id: submitter.taskVersionId, input: {} },
    })
    const { id }: RunDetail = JSON.parse(text)
    const run = await claimNext(db, {
      executor: 'bench',
      worker: 'bench',
      companyConcurrency: 50,
      capacity: policy.capacity,
    })
    if (run?.id !== id) throw new Error('another run was claimed')
    await finishRun(db, run, { outcome: failed('platform_internal') })
  }
  const storage = new DiskStorage(join(folder, 'objects'))
  const retention = { db, storage, clock: { now: () => new Date() }, log: createLog('bench', 'error') }
  const sizes: number[] = []
  let made = ended
  return {
    sizes,
    run: async () => {
      const tookMs = await cpuMs(db, async () => {
        for (let runs = 0; runs < runsPerRound; runs += 1) await once()
      })
      await foldLiveRuns({ db })
      return tookMs / runsPerRound
    },
    remove: async () => {
      await insertHistory(db, tenants, { first: made, count: removedPerRound, daysAgo: overdueDays })
      made += removedPerRound
      const tookMs = await cpuMs(db, async () => {
        const { expired } = await sweepRunContent(retention)
        if (expired !== removedPerRound) throw new Error(`${expired} runs were removed`)
      })
      // As Postgres does by itself once enough rows are gone.
      await sql`vacuum run_inputs, state_events`.execute(db)
      sizes.push(await mebibytes(db))
      return tookMs / removedPerRound
    },
  }
}

async function cpuMs(db: Database, work: () => Promise<void>): Promise<number> {
  const backend = await backendOf(db)
  const before = await treeCpuMs(backend)
  await work()
  return (await treeCpuMs(backend)) - before
}

async function mebibytes(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size('run_inputs') + pg_total_relation_size('state_events') as bytes`.execute(db)
  return (rows[0]?.bytes ?? 0) / 2 ** 20
}
