import { randomBytes, randomUUID } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { Directory } from '../server/access/directory/directory.ts'
import { PageTokens } from '../server/base/page.ts'
import { runCapacity } from '../server/capacity/run-capacity.ts'
import type { Database } from '../server/db/database.ts'
import { RunLookup } from '../server/runs/lookup/run-lookup.ts'
import { claimNext } from '../server/runs/queue/claim-store.ts'
import { queuePolicy } from '../server/runs/queue/queue-policy.ts'
import { listRoomRuns } from '../server/runs/read/read-runs.ts'
import { listVisibleRuns } from '../server/runs/read/visible-runs.ts'
import { SubmissionQueue } from '../server/runs/submit/submission-queue.ts'
import { submitRun } from '../server/runs/submit/submit-run.ts'
import { Runnables, validateInput } from '../server/tasks/menu/runnable.ts'
import { fixedKeys } from '../testing/apps/fixed-keys.ts'
import { queueForCompanies } from './harness/load/many-companies.ts'
import { endRun, insertQueuedRuns, settle } from './harness/load/queued-runs.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import { makeTenants } from './harness/service/tenants.ts'
import { noOutputs } from './no-outputs.ts'

const shallowRows = 1000
const companies = 20
const roomsEach = 2
const warmups = 20
/** The short queue has at least this many runs in each room too. */
const page = { page_size: 20 }
/** A claim removes a run from the queue: with more rounds the short queue would get noticeably shorter. */
const roundsMax = 300
const manyCompanies = 10_000

/** Cost of queue operations when the queue is long; docs in bench/README.md. */
export const depth: Benchmark = {
  name: 'depth',
  about: 'claim, submit and list with a long queue, against the same with 1,000 runs',
  run: async (options) => {
    const open: OwnDatabase[] = []
    const withRows = async (rows: number) => {
      options.say(`depth: queueing ${rows} runs`)
      const database = await startDatabase(2)
      open.push(database)
      return operations(database, rows)
    }
    try {
      const deep = await withRows(options.rows)
      const shallow = await withRows(shallowRows)
      options.say(`depth: queueing runs of ${manyCompanies} companies`)
      const crowded = await startDatabase(2)
      open.push(crowded)
      return await measure(options, { deep, shallow, crowded: await crowdedClaim(crowded) })
    } finally {
      for (const database of open) await database.stop()
    }
  },
}

/** Each returns the milliseconds of one operation, and undoes its changes outside the measured time. */
interface Operations {
  claim(): Promise<number>
  submit(): Promise<number>
  list(): Promise<number>
  /** Over all rooms of a caller, with the total of several days. */
  listAll(): Promise<number>
}

/** Milliseconds of a claim when each of many companies has one run queued. */
async function crowdedClaim({ db }: OwnDatabase): Promise<() => Promise<number>> {
  await queueForCompanies(db, manyCompanies)
  await settle(db)
  return () => timeClaim(db)
}

async function timeClaim(db: Database): Promise<number> {
  const { tookMs, result } = await timed(() =>
    claimNext(db, {
      executor: 'bench',
      worker: 'bench',
      companyConcurrency: 50,
      capacity: runCapacity({ slots: 64 }),
    }),
  )
  if (!result) throw new Error('nothing to claim')
  await endRun(db, result.id)
  return tookMs
}

async function operations({ db }: OwnDatabase, rows: number): Promise<Operations> {
  const tenants = await makeTenants(db, { companies: companies + 1, roomsEach, pepper: randomBytes(32) })
  // The submitter's own queue is empty; otherwise the policy would refuse a further run.
  const [submitter, ...waiting] = tenants
  const [lister] = waiting
  if (!submitter || !lister) throw new Error('no companies')
  await insertQueuedRuns(db, waiting, rows)
  await settle(db)
  const policy = queuePolicy('hosted', runCapacity({ slots: 16 }))
  const deps = {
    db,
    directory: new Directory(db),
    runs: new RunLookup(db, policy),
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    policy,
    pages: new PageTokens(fixedKeys(randomBytes(32))),
    validateInput,
    outputs: noOutputs(db),
  }
  return {
    claim: () => timeClaim(db),
    submit: async () => {
      const submission = {
        principal: submitter.member,
        chatroomId: submitter.roomIds[0] ?? '',
        idempotencyKey: randomUUID(),
        body: { task_version_id: submitter.taskVersionId, input: {} },
      }
      const { tookMs, result } = await timed(() => submitRun(deps, submission))
      const { id }: RunDetail = JSON.parse(result.text)
      await endRun(db, id)
      return tookMs
    },
    list: async () => {
      const { tookMs } = await timed(() => listRoomRuns(deps, lister.member, lister.roomIds[0] ?? '', page))
      return tookMs
    },
    listAll: async () => {
      const { tookMs, result } = await timed(() =>
        listVisibleRuns(deps, lister.member, { ...page, queued_after: daysAgo(3) }),
      )
      if (result.total < Math.floor(rows / companies / roomsEach) * roomsEach)
        throw new Error(`a total is ${result.total}`)
      return tookMs
    },
  }
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

async function timed<Result>(work: () => Promise<Result>): Promise<{ tookMs: number; result: Result }> {
  const startedAt = performance.now()
  const result = await work()
  return { tookMs: performance.now() - startedAt, result }
}

const operationNames = {
  claim: 'claim',
  submit: 'submit',
  list: 'list',
  listAll: 'list with a total',
} as const satisfies Record<keyof Operations, string>

interface Queues {
  deep: Operations
  shallow: Operations
  crowded: () => Promise<number>
}

async function measure(options: BenchOptions, { deep, shallow, crowded }: Queues): Promise<Row[]> {
  const keys = Object.keys(operationNames) as (keyof Operations)[]
  const subjects: Subject[] = [
    ...keys.flatMap((key) => [
      { name: `deep ${key}`, once: deep[key] },
      { name: `shallow ${key}`, once: shallow[key] },
    ]),
    { name: 'crowded claim', once: crowded },
  ]
  const rounds = Math.min(options.rounds, roundsMax)
  options.say(`depth: ${rounds} rounds`)
  const machine = machineNote()
  const samples = await interleaved(subjects, { rounds, warmups, restMs: 2 })
  const of = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
  const notes = [
    `${options.rows} queued runs compared with ${shallowRows}, both in ${companies * roomsEach} rooms of ${companies} companies`,
    'the functions of the service are called in this process with one connection each; a submission is for a company that has no run queued; a list has the first 20 runs of a room, or of all rooms in the last three days',
    machine(),
  ]
  const row = (name: string, ours: string, shallowName: string, more: string[]) =>
    rowOf({
      name: `depth: ${name}`,
      ours: of(ours),
      peer: {
        name: `${shallowRows} queued`,
        measured: of(`shallow ${shallowName}`),
        reach: { atMost: 1.2 },
        notes: more,
      },
      floor: {},
      notes,
    })
  return [
    ...keys.map((key) => row(operationNames[key], `deep ${key}`, key, [])),
    row('claim among companies', 'crowded claim', 'claim', [
      `ours: each of ${manyCompanies} companies has one run queued`,
    ]),
  ]
}
