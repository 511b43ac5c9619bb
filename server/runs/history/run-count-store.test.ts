import { runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../../../testing/factories/tenant.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { finishRun } from '../drive/finish-run.ts'
import { failed } from '../model/run-outcome.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import { claimNext } from '../queue/claim-store.ts'
import { requeue } from '../queue/claimed-run-store.ts'
import { countVisibleRuns } from '../read/visible-run-store.ts'
import { foldRunCounts } from './fold-counts.ts'
import { countRuns, foldCounts } from './run-count-store.ts'

const { db } = await createTestDatabase()

/** Within three days, at their first and last moments too. */
const times = [
  '03-01T12:00:00',
  '03-01T23:59:59.999',
  '03-02T00:00:00',
  '03-02T12:00:00',
  '03-03T00:00:00',
].map((text) => new Date(`2026-${text}Z`))

/** Two rooms, two tasks, and runs of every kind in every state, each made and moved as the service does it. */
async function makeRuns() {
  const tenant = await makeTenant(db)
  const rooms = [tenant.roomId, await makeRoom(db, tenant)]
  const tasks = [await makeRunnableTask(db, tenant.companyId), await makeRunnableTask(db, tenant.companyId)]
  for (const chatroom_id of rooms) {
    for (const task of tasks) {
      for (const submission_source of ['rest', 'agent'] as const) {
        for (const queued_at of times) await makeRun(db, task, { chatroom_id, submission_source, queued_at })
      }
    }
  }
  await makeRun(db, tasks[0] ?? never(), {
    chatroom_id: tenant.roomId,
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(),
  })
  const claims = []
  for (let count = 0; count < 20; count += 1) {
    claims.push(
      (await claimNext(db, {
        executor: 'w',
        worker: 'w',
        companyConcurrency: 50,
        capacity: runCapacity({ slots: 64 }),
      })) ?? never(),
    )
  }
  for (const [at, run] of claims.entries()) {
    if (at % 4 === 0) await finishRun(db, run, { outcome: failed('host_lost') })
    if (at % 4 === 1) await requeue(db, run)
    if (at % 4 === 2) await cancelRun(db, { id: run.id, company_id: run.companyId })
  }
  const queued = await db
    .selectFrom('runs')
    .select(['id', 'company_id'])
    .where('state', '=', 'queued')
    .limit(3)
    .execute()
  for (const run of queued) await cancelRun(db, run)
  return { companyId: tenant.companyId, rooms, taskIds: tasks.map((task) => task.taskId) }
}

const never = (): never => {
  throw new Error('nothing there')
}

/** Every combination of filters: what the counts say, and what the rows say. */
async function compare({ companyId, rooms, taskIds }: Awaited<ReturnType<typeof makeRuns>>) {
  const counted = []
  const there = []
  const states = [undefined, ...runStates.map((state) => [state]), ['queued', 'running', 'cancelled'], []]
  for (const taskId of [undefined, ...taskIds]) {
    for (const room of [undefined, ...rooms]) {
      for (const of of states) {
        const where = sql<boolean>`${room ?? null}::text is null or runs.chatroom_id = ${room ?? null}`
        counted.push(await countRuns(db, { companyId, taskId, states: of, where: sql<boolean>`(${where})` }))
        let query = db.selectFrom('runs').where('company_id', '=', companyId).where(sql<boolean>`(${where})`)
        if (taskId !== undefined) query = query.where('task_id', '=', taskId)
        if (of) query = query.where(sql<boolean>`state = any(${of})`)
        const { runs } = await query
          .select((eb) => eb.fn.countAll<number>().as('runs'))
          .executeTakeFirstOrThrow()
        there.push(runs)
      }
    }
  }
  return { counted, there }
}

it('counts what is there, whatever was folded', async () => {
  const estate = await makeRuns()
  const noted = await compare(estate)
  expect(noted.counted).toEqual(noted.there)
  expect(new Set(noted.there).size).toBeGreaterThan(5)
  expect(await foldCounts(db, 7)).toBe(7)
  expect((await compare(estate)).counted).toEqual(noted.there)
  const { folded } = await foldRunCounts({ db })
  expect(folded).toBeGreaterThan(20)
  expect((await compare(estate)).counted).toEqual(noted.there)
  expect(await foldRunCounts({ db })).toEqual({ folded: 0 })
})

/** Every stretch of time between moments at and within days: what the counts say, and what the rows say. */
async function compareStretches({ companyId, taskIds }: Awaited<ReturnType<typeof makeRuns>>) {
  const counted: number[] = []
  const there: number[] = []
  for (const queuedFrom of [undefined, ...times]) {
    for (const queuedBefore of [undefined, ...times]) {
      for (const states of [undefined, ['queued', 'starting'], ['cancelled']]) {
        const taskId = taskIds[counted.length % 3]
        const filter = { companyId, roomIds: undefined, taskId, states, queuedFrom, queuedBefore }
        counted.push(await countVisibleRuns(db, filter))
        let query = db.selectFrom('runs').where('company_id', '=', companyId)
        if (taskId !== undefined) query = query.where('task_id', '=', taskId)
        if (states) query = query.where('state', 'in', states)
        if (queuedFrom) query = query.where('queued_at', '>=', queuedFrom)
        if (queuedBefore) query = query.where('queued_at', '<', queuedBefore)
        const { runs } = await query
          .select((eb) => eb.fn.countAll<number>().as('runs'))
          .executeTakeFirstOrThrow()
        there.push(runs)
      }
    }
  }
  return { counted, there }
}

it('counts what is there of any stretch of time, before and after it was folded', async () => {
  const estate = await makeRuns()
  for (const fold of [0, 9, 1000]) {
    await foldCounts(db, fold)
    const { counted, there } = await compareStretches(estate)
    expect(counted).toEqual(there)
    expect(new Set(there).size).toBeGreaterThan(8)
  }
})

it('folds each note once, however many fold', async () => {
  const estate = await makeRuns()
  const folded = await Promise.all(Array.from({ length: 6 }, () => foldCounts(db, 10)))
  expect(folded.every((count) => count <= 10)).toBe(true)
  await foldRunCounts({ db })
  const { counted, there } = await compare(estate)
  expect(counted).toEqual(there)
})
