import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { sql } from 'kysely'
import { Directory } from '../server/access/directory/directory.ts'
import { createLog } from '../server/base/logging.ts'
import { runCapacity } from '../server/capacity/run-capacity.ts'
import { connect } from '../server/db/database.ts'
import { postgresRunQueue } from '../server/runs/drive/run-queue.ts'
import { startRunWorker } from '../server/runs/drive/run-worker.ts'
import { queuePolicy } from '../server/runs/queue/queue-policy.ts'
import { SubmissionQueue } from '../server/runs/submit/submission-queue.ts'
import { type SubmitDeps, submitRun } from '../server/runs/submit/submit-run.ts'
import { DiskStorage } from '../server/storage/disk.ts'
import { Runnables, validateInput } from '../server/tasks/menu/runnable.ts'
import { FakeExecutor } from '../testing/fake-executor/fake-executor.ts'
import { insertQueuedRuns, settle } from './harness/load/queued-runs.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { type Reach, type Row, rowOf } from './harness/measure/row.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { type BenchTenant, layerDigest, makeTenants } from './harness/service/tenants.ts'
import { noOutputs } from './no-outputs.ts'
import { queueWaits } from './peers/fairness-peers.ts'

/** The run slots of a worker, and the duration of a job. */
interface Setting {
  name: string
  slots: number
  jobMs: number
  /** How runs are claimed: on a host one by one, in a cluster in batches. */
  kind: 'host' | 'kubernetes'
  reach: Reach | undefined
  note: string
}

const queuedByOther = 100_000
const companyConcurrency = 50
const settings: Setting[] = [
  {
    name: 'fairness',
    slots: 64,
    jobMs: 1000,
    kind: 'host',
    reach: { atMost: 2 },
    note: `64 slots, of which one company may use ${companyConcurrency}; jobs of 1 s that use no processor`,
  },
  {
    name: 'fairness: in batches',
    slots: 64,
    jobMs: 1000,
    kind: 'kubernetes',
    reach: { atMost: 2 },
    note: `the same, and runs are claimed in batches`,
  },
  {
    name: 'fairness: no place free',
    slots: 16,
    jobMs: 50,
    kind: 'host',
    reach: undefined,
    note: '16 slots; the busy company uses all that are not reserved, with jobs of 50 ms',
  },
]
const roundsMax = 200
const warmups = 10
const pollMs = 2
const restMs = 30
const waitLimitMs = 60_000

/** Wait of one company while another has a long queue; docs in bench/README.md. */
export const fairness: Benchmark = {
  name: 'fairness',
  about: "a company's wait for its turn while another has 100,000 runs queued, against an idle service",
  run: async (options) => {
    const rows: Row[] = []
    for (const setting of settings) {
      options.say(`${setting.name}: starting a database and a worker`)
      const database = await startDatabase(4)
      try {
        const measured = await measure(options, database, setting)
        rows.push(rowFor(setting, measured))
        if (options.peers && setting.reach && setting.kind === 'host')
          rows.push(...(await peerRows(options, setting, measured)))
      } finally {
        await database.stop()
      }
    }
    return rows
  },
}

interface Measured {
  idle: number[]
  contended: number[]
  notes: string[]
}

async function measure(options: BenchOptions, database: OwnDatabase, setting: Setting): Promise<Measured> {
  const { db, url, folder } = database
  const [busy, waiting] = await makeTenants(db, { companies: 2, roomsEach: 2, pepper: randomBytes(32) })
  if (!busy || !waiting) throw new Error('no companies')
  const log = createLog('bench', 'error')
  const workerDb = connect(url, { poolSize: 12, log, name: 'bench worker' })
  const worker = await startRunWorker({
    runs: postgresRunQueue(workerDb, url, log),
    executor: new TimedJobs(setting),
    storage: new DiskStorage(join(folder, 'objects')),
    images: {
      attested: async ({ id, layerDigest }) => ({
        versionId: id,
        layers: [{ digest: layerDigest, byteSize: 0, diffId: layerDigest }],
        installedDigest: layerDigest,
        env: [],
        user: '',
      }),
      open: () => Promise.reject(new Error('every image is installed')),
    },
    log,
    driver: { executor: 'bench', worker: 'bench' },
    kind: setting.kind,
    capacity: runCapacity({ slots: setting.slots }),
    companyConcurrency,
  })
  try {
    const rounds = Math.min(options.rounds, roundsMax)
    const machine = machineNote()
    const waitsMs = () => severalWaits(database, waiting, rounds)
    options.say(`${setting.name}: ${rounds} runs of an idle service`)
    const idle = await waitsMs()
    options.say(`${setting.name}: queueing ${queuedByOther} runs of another company`)
    await insertQueuedRuns(db, [busy], queuedByOther)
    await settle(db)
    options.say(`${setting.name}: ${rounds} runs against that queue`)
    const contended = await waitsMs()
    return { idle, contended, notes: [await remainingNote(database, busy), machine()] }
  } finally {
    await worker.stop()
    await workerDb.destroy()
  }
}

/** Sandboxes that only let time pass: the benchmark measures the queue and the worker. */
class TimedJobs extends FakeExecutor {
  constructor({ slots, jobMs }: Setting) {
    super((_spec, _input, signal) => sleep(jobMs, {}, { signal }).catch(() => ({})), slots)
    this.placeImage(layerDigest)
  }
}

/** Milliseconds from each submission until the run was claimed, by the clock of the database; one run at a time. */
async function severalWaits({ db }: OwnDatabase, tenant: BenchTenant, rounds: number): Promise<number[]> {
  const policy = queuePolicy('hosted', runCapacity({ slots: 16 }))
  const deps: SubmitDeps = {
    db,
    directory: new Directory(db),
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    policy,
    validateInput,
    outputs: noOutputs(db),
  }
  const waitsMs: number[] = []
  for (let round = -warmups; round < rounds; round += 1) {
    const { text } = await submitRun(deps, {
      principal: tenant.member,
      chatroomId: tenant.roomIds[0] ?? '',
      idempotencyKey: randomUUID(),
      body: { task_version_id: tenant.taskVersionId, input: {} },
    })
    const { id }: RunDetail = JSON.parse(text)
    const waitedMs = await untilClaimed(db, id)
    if (round >= 0) waitsMs.push(waitedMs)
    await sleep(restMs)
  }
  return waitsMs
}

async function untilClaimed(db: OwnDatabase['db'], id: string): Promise<number> {
  for (const until = Date.now() + waitLimitMs; Date.now() < until; await sleep(pollMs)) {
    const { rows } = await sql<{ waited_ms: number | null }>`
      select (extract(epoch from claimed_at - queued_at) * 1000)::float8 as waited_ms from runs where id = ${id}
    `.execute(db)
    const waitedMs = rows[0]?.waited_ms
    if (waitedMs != null) return waitedMs
  }
  throw new Error(`run ${id} is not claimed`)
}

async function remainingNote({ db }: OwnDatabase, busy: BenchTenant): Promise<string> {
  const { remaining } = await db
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('remaining'))
    .where('company_id', '=', busy.companyId)
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow()
  return `the busy company had ${queuedByOther} runs queued at first and ${remaining} at the end`
}

const samples = (samplesMs: number[]) => ({ samplesMs, cpuMs: null })

function rowFor(setting: Setting, { idle, contended, notes }: Measured): Row {
  return rowOf({
    name: setting.name,
    ours: samples(contended),
    peer: { name: 'idle', measured: samples(idle), reach: setting.reach, notes: [] },
    floor: {},
    notes: [
      'a wait is from queued_at, just before the run is stored, until the claim, by the clock of the database',
      'the worker and queue are real, the executor only lets time pass; runs of both sides take all other steps',
      `${setting.name}: ${setting.note}; ${notes.join('; ')}`,
    ],
  })
}

/** Our waits next to the busy company's queue, compared with those in other queues under the same load. */
async function peerRows(options: BenchOptions, setting: Setting, { contended }: Measured): Promise<Row[]> {
  const load = {
    places: setting.slots,
    bound: companyConcurrency,
    jobMs: setting.jobMs,
    queued: queuedByOther,
    rounds: Math.min(options.rounds, roundsMax),
    restMs,
  }
  return (await queueWaits(load, options.say)).map(({ name, samplesMs, notes }) =>
    rowOf({
      name: setting.name,
      ours: samples(contended),
      peer: { name, measured: samples(samplesMs), reach: undefined, notes },
      floor: {},
      notes: [
        'a wait of the peer is from just before its job is stored until the job starts, by the clock of its process',
      ],
    }),
  )
}
