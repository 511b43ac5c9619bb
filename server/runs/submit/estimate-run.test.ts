import { estimateRoutes } from '@sandbox-jobs/contract/routes/estimate-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, giveBudget, removePrices } from '../../../testing/factories/prices.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const estimate = (query: Record<string, string> = {}, caller = tenant.member) =>
  api.must(estimateRoutes.estimateRun, caller, {
    params: { cid: tenant.roomId },
    query: { task_version_id: task.versionId, ...query },
  })

const queuedRuns = async () =>
  Number(
    (
      await db
        .selectFrom('runs')
        .where('company_id', '=', tenant.companyId)
        .where('state', '=', 'queued')
        .select((eb) => eb.fn.countAll().as('runs'))
        .executeTakeFirstOrThrow()
    ).runs,
  )

it('has place and wait without queueing anything, and no price where there is none', async () => {
  await makeRun(db, task, { chatroom_id: tenant.roomId })
  expect(await estimate()).toEqual({
    timeout_seconds: 1800,
    currency: null,
    hold: null,
    typical_cost: null,
    typical_seconds: null,
    wait: { position: expect.any(Number), seconds: null, reason: 'awaiting_dispatch' },
    refusals: [],
  })
  expect(await queuedRuns()).toBe(1)
})

it('has times and cost of the newest runs of the version', async () => {
  const ended = new Date()
  for (const seconds of [10, 20, 40]) {
    const started_at = new Date(ended.getTime() - seconds * 1000)
    const done = { state: 'completed', exit_code: 0, started_at, terminal_at: ended } as const
    await makeRun(db, task, { chatroom_id: tenant.roomId, ...done })
  }
  // One that never started says nothing about how long a run takes.
  await makeRun(db, task, { chatroom_id: tenant.roomId, state: 'cancelled', terminal_at: ended })
  expect((await estimate()).typical_seconds).toEqual({ p50: 20, p95: 38, runs: 3 })
})

it('has what would be held, and that a budget does not cover it', async () => {
  await applyTestPrices(db)
  await giveBudget(db, tenant.companyId, 100_000)
  expect(await estimate({ timeout_seconds: '940' })).toMatchObject({
    timeout_seconds: 940,
    currency: 'USD',
    hold: '0.020000',
    refusals: [],
  })
  const refused = await estimate({ timeout_seconds: '80000' })
  expect(refused).toMatchObject({
    hold: null,
    wait: null,
    refusals: [{ code: 'budget_reservation_exceeded' }],
  })
  expect(refused.refusals[0]?.message).toContain('left')
  await removePrices(db)
})

it('says why a submission would be refused, in the words of the refusal', async () => {
  await db
    .updateTable('tasks')
    .set({ state: 'archived' })
    .where('id', '=', task.taskId)
    .where('company_id', '=', tenant.companyId)
    .execute()
  expect((await estimate()).refusals).toEqual([
    { code: 'version_not_runnable', message: expect.stringMatching(/\S/) },
  ])
})

it('has nothing for who may not submit there, and for versions that the room does not have', async () => {
  const foreign = await makeRunnableTask(db, (await makeTenant(db)).companyId)
  const call = (caller: Tenant['member'], task_version_id: string) =>
    api.call(estimateRoutes.estimateRun, caller, {
      params: { cid: tenant.roomId },
      query: { task_version_id },
    })
  expect((await call(tenant.stranger, task.versionId)).status).toBe(404)
  expect((await call(tenant.member, foreign.versionId)).status).toBe(404)
})
