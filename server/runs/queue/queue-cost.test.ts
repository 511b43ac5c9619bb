import { randomUUID } from 'node:crypto'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { rowsRead } from '../../../testing/database/rows-read.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { connect, type Database } from '../../db/database.ts'
import { countRuns } from '../history/run-count-store.ts'
import { listRuns } from '../model/run-store.ts'
import { countVisibleRuns, listVisibleRunRows } from '../read/visible-run-store.ts'
import { SubmissionQueue } from '../submit/submission-queue.ts'
import { claimBatch } from './claim-batch-store.ts'
import { claimNext } from './claim-store.ts'
import { queuePolicy } from './queue-policy.ts'
import { queueView } from './queue-store.ts'

/*
 * The cost of the queue to one company beside another that has nearly all rows, counted in rows of runs and of their keys that
 * are read, and in plans that are made: what walks the other company's, or is planned at each execution, shows at once,
 * whatever else the machine does.
 */

const { db: makers, url } = await createTestDatabase()
/** One half ended, the other queued. */
const rowsOfOther = 20_000
/** Above what is counted of a queue at most, far below what the other company has. */
const fewRows = 500
/** Postgres keeps a plan for good once it has made it five times. */
const untilPlansStay = 6

interface Own extends Tenant {
  task: RunnableTask
}

async function makeOwn(): Promise<Own> {
  const tenant = await makeTenant(makers)
  return { ...tenant, task: await makeRunnableTask(makers, tenant.companyId) }
}

async function fillForOther(): Promise<void> {
  const { task, roomId } = await makeOwn()
  const id = await makeRun(makers, task, { chatroom_id: roomId })
  await sql`
    insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, state, terminal_at)
    select ${id} || '_' || n, company_id, chatroom_id, task_id, task_version_id, environment_version_id,
      case n % 4 when 0 then 'large' else resource_profile end, principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest,
      case n % 2 when 0 then 'queued' else 'cancelled' end, case n % 2 when 1 then now() end
    from runs cross join generate_series(1, ${sql.lit(rowsOfOther)}) n where id = ${id}
  `.execute(makers)
  await sql`
    insert into idempotency_keys (company_id, principal_id, route, key, request_hash, response)
    select ${task.companyId}::text, 'p', 'r', n, 'same', '{}' from generate_series(1, ${sql.lit(rowsOfOther)}) n
  `.execute(makers)
}

async function submit(db: Database, { task, roomId, member }: Own): Promise<void> {
  const { companyId } = task
  await new SubmissionQueue(db, queuePolicy('hosted', runCapacity({ slots: 16 }))).enqueue({
    intent: {
      scope: { companyId, principalId: member.principalId, route: 'r', key: randomUUID() },
      requestHash: 'same',
    },
    run: {
      principal: member,
      chatroomId: roomId,
      version: {
        id: task.versionId,
        task_id: task.taskId,
        environment_version_id: task.environmentVersionId,
      },
      resourceProfile: 'standard',
      shareGrantId: task.shareGrantId,
      input: stageInput({}),
      timeoutSeconds: 60,
      source: 'rest',
    },
  })
}

const list = (db: Database, own: Own, states?: RunState[]) =>
  listRuns(db, { companyId: own.companyId, chatroomId: own.roomId, states, limit: 20 })

async function look(db: Database, own: Own): Promise<void> {
  const [run] = await list(db, own, ['queued'])
  if (!run) throw new Error('nothing queued')
  await queueView(db, { runs: [run], withinCompany: true })
}

const count = (db: Database, { companyId, roomId }: Own) =>
  countRuns(db, { companyId, where: sql<boolean>`chatroom_id = ${roomId}` })

/** In its rooms since yesterday, with their number. */
async function listAll(db: Database, { companyId, roomId }: Own): Promise<void> {
  const filter = { companyId, roomIds: [roomId], queuedFrom: new Date(Date.now() - 86_400_000) }
  await listVisibleRunRows(db, filter, { before: undefined, limit: 21 })
  await countVisibleRuns(db, filter)
}

/** With so little memory that a claim looks for what lacks it. */
const capacity = runCapacity({ slots: 64, memoryMib: 12_288 })
const worker = { executor: 'w', worker: 'w' }
const claim = (db: Database) => claimNext(db, { ...worker, companyConcurrency: 1, capacity })
/** Of runs that the steps before it left. */
const batch = (db: Database) =>
  claimBatch(db, { ...worker, companyConcurrency: 8, capacity: runCapacity({ slots: 64 }) }, 8)

/** In this order: of the claims some take a run, and some find companies at their bound or without a queue. */
const steps: [name: string, step: (db: Database, own: Own) => Promise<unknown>][] = [
  ['a submission', submit],
  ['a list', (db, own) => list(db, own)],
  ['a look at the queue', look],
  ['a total', count],
  ['a list of all rooms with its total', listAll],
  ['a claim', claim],
  ['a second claim', claim],
  ['a third claim', claim],
  ['a batch of claims', batch],
]

const tables = ['runs', 'idempotency_keys']

/** Takes a company of its own through all steps; answers those that read more than a few rows. */
async function costlySteps(db: Database): Promise<Record<string, number>> {
  const own = await makeOwn()
  const costly: Record<string, number> = {}
  for (const [name, step] of steps) {
    const before = await rowsRead(db, tables)
    await step(db, own)
    const read = (await rowsRead(db, tables)) - before
    if (!(read <= fewRows)) costly[name] = read
  }
  // The next company's claims are to find that this one holds nothing.
  await makers
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('company_id', '=', own.companyId)
    .execute()
  return costly
}

/** One connection, so that what it has read is known. */
async function connectOnce(): Promise<Database> {
  const db = connect(url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  onTestFinished(() => db.destroy())
  return db
}

describe('beside the long queue of another company, few rows are read', () => {
  beforeAll(async () => {
    await sql`alter table runs set (autovacuum_enabled = off)`.execute(makers)
    await sql`alter table idempotency_keys set (autovacuum_enabled = off)`.execute(makers)
    // Known to be empty, so that the plans of the first rows are those for a handful of them.
    await sql`analyze`.execute(makers)
  })

  it('by plans that are older than that queue', async () => {
    const db = await connectOnce()
    for (let round = 0; round < untilPlansStay; round += 1) await costlySteps(db)
    await sql`analyze runs`.execute(makers)
    for (let round = 0; round < untilPlansStay; round += 1) await costlySteps(db)
    await fillForOther()
    expect(await costlySteps(db)).toEqual({})
  })

  it.each(['force_custom_plan', 'force_generic_plan'])('by new plans (%s)', async (mode) => {
    const db = await connectOnce()
    await sql`set plan_cache_mode = ${sql.lit(mode)}`.execute(db)
    expect(await costlySteps(db)).toEqual({})
    await sql`analyze runs`.execute(makers)
    expect(await costlySteps(db)).toEqual({})
  })
})

/**
 * Statements about runs that the connection has planned more often than Postgres does before it judges a plan for good.
 * A list of some states is left out: an index may hold these alone.
 */
async function planned(db: Database): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements
    where statement like '%runs%' and statement not like '%"state" in%' and custom_plans >= ${sql.lit(untilPlansStay)}`.execute(
    db,
  )
  return rows.map(({ statement }) => statement)
}

test('a claim is planned for no values at hand, though the queue grows once its connection has plans', async () => {
  const claimOnce = (db: Database) =>
    claimNext(db, { executor: "w'$1", worker: "w'$1", companyConcurrency: 50, capacity })
  const db = await connectOnce()
  await sql`delete from queue_turns`.execute(makers)
  await sql`analyze`.execute(makers)
  for (let round = 0; round < untilPlansStay; round += 1) await claimOnce(db)
  await fillForOther()
  for (let round = 0; round < 2 * untilPlansStay; round += 1) await claimOnce(db)
  const { rows } = await sql<{ custom: number }>`
    select sum(custom_plans)::int as custom from pg_prepared_statements where statement like '%passed_over%'
  `.execute(db)
  expect(rows).toEqual([{ custom: 0 }])
})

describe('no statement is planned at each execution', () => {
  it.each(['short', 'long'])('beside a %s queue', async (length) => {
    if (length === 'long') await fillForOther()
    await sql`analyze`.execute(makers)
    const db = await connectOnce()
    for (let round = 0; round < 2 * untilPlansStay; round += 1) await costlySteps(db)
    expect(await planned(db)).toEqual([])
  })
})
