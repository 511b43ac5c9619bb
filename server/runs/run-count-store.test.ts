import { runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { makeRun, makeRunnableTask } from '../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../testing/factories/tenant.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { cancelRun } from './cancel-run.ts'
import { claimNext } from './claim-store.ts'
import { requeue } from './claimed-run-store.ts'
import { finishRun } from './finish-run.ts'
import { foldRunCounts } from './fold-counts.ts'
import { countRuns, foldCounts } from './run-count-store.ts'
import { failed } from './run-outcome.ts'

const { db } = await createTestDatabase()

/** Two rooms, two tasks, and runs of every kind in every state, each made and moved as the service does it. */
async function makeRuns() {
  const tenant = await makeTenant(db)
  const rooms = [tenant.roomId, await makeRoom(db, tenant)]
  const tasks = [await makeRunnableTask(db, tenant.companyId), await makeRunnableTask(db, tenant.companyId)]
  for (const chatroom_id of rooms) {
    for (const task of tasks) {
      for (const submission_source of ['rest', 'agent'] as const) {
        for (let made = 0; made < 5; made += 1) await makeRun(db, task, { chatroom_id, submission_source })
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
    claims.push((await claimNext(db, { worker: 'w', companyConcurrency: 50 })) ?? never())
  }
  for (const [at, run] of claims.entries()) {
    if (at % 4 === 0) await finishRun(db, run, { outcome: failed('host_lost') })
    if (at % 4 === 1) await requeue(db, run)
    if (at % 4 === 2) await cancelRun(db, run)
  }
  const queued = await db.selectFrom('runs').select('id').where('state', '=', 'queued').limit(3).execute()
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

it('folds each note once, however many fold', async () => {
  const estate = await makeRuns()
  const folded = await Promise.all(Array.from({ length: 6 }, () => foldCounts(db, 10)))
  expect(folded.every((count) => count <= 10)).toBe(true)
  await foldRunCounts({ db })
  const { counted, there } = await compare(estate)
  expect(counted).toEqual(there)
})
