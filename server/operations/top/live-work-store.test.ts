import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeBuildAttempt } from '../../../testing/factories/build-attempt.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import {
  countActiveBuilds,
  countActiveRuns,
  listCompanyWork,
  listExecutors,
  listRunsThat,
} from './live-work-store.ts'

const { db } = await createTestDatabase()
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000)

test('work that has not ended is shown by company, those with the most first', async () => {
  const [busy, waiting, idle] = [await makeTenant(db), await makeTenant(db), await makeTenant(db)]
  const run = async (tenant: typeof busy, columns: object) => {
    const task = await makeRunnableTask(db, tenant.companyId)
    return makeRun(db, task, { chatroom_id: tenant.roomId, ...columns })
  }
  const active = {
    ...{ state: 'running', claimed_at: secondsAgo(50), started_at: secondsAgo(40) },
    ...{ worker: 'worker', executor: 'executor', sandbox_id: 'sandbox' },
  } as const
  const long = await run(busy, { ...active, queued_at: secondsAgo(60) })
  await run(waiting, { state: 'queued', queued_at: secondsAgo(90) })
  await run(waiting, { state: 'queued', queued_at: secondsAgo(10) })
  const ended = { state: 'completed', exit_code: 0, terminal_at: secondsAgo(1) } as const
  await run(idle, { ...active, ...ended, sandbox_id: 'ended', queued_at: secondsAgo(60) })
  await makeBuildAttempt(db, { companyId: waiting.companyId })
  const { id } = await makeBuildAttempt(db, { companyId: waiting.companyId })
  await db
    .updateTable('build_attempts')
    .set({ state: 'validation_queued' })
    .where('id', '=', id)
    .where('company_id', '=', waiting.companyId)
    .execute()

  const work = await listCompanyWork(db, 10)
  expect(work.map(({ company_id }) => company_id)).toEqual([busy.companyId, waiting.companyId])
  expect(work[0]).toMatchObject({ runs_active: 1, runs_queued: 0, oldest_queued_run: 0, builds_queued: 0 })
  expect(work[1]).toMatchObject({ runs_active: 0, runs_queued: 2, builds_active: 1, builds_queued: 1 })
  expect(work[1]?.oldest_queued_run).toBeGreaterThan(80)
  expect(await listCompanyWork(db, 1)).toHaveLength(1)

  expect(await listRunsThat(db, 'areAtWork', { limit: 10 })).toMatchObject([
    { id: long, company_id: busy.companyId, state: 'running', profile: 'standard' },
  ])
  expect(await countActiveRuns(db)).toEqual([{ profile: 'standard', runs: 1 }])
  expect(await countActiveBuilds(db)).toBe(1)
})

test('executors are listed with what is claimed for them, those at work first', async () => {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  const [lost, driven] = ['1'.repeat(32), '2'.repeat(32)]
  await makeExecutor(db, lost, { place: 'one:/data', capacity: { slots: 4 }, leftSeconds: -3600 })
  await makeExecutor(db, driven, { place: 'two:/data', capacity: { slots: 8 } })
  await sql`update executors set agent_seen_at = now() where id = ${driven}`.execute(db)
  const held = { state: 'running', executor: lost, worker: 'w1', sandbox_id: 's' } as const
  await makeRun(db, task, { chatroom_id: roomId, ...held })
  const none = { draining: false, builds: 0 }
  expect(await listExecutors(db)).toEqual([
    { id: driven, place: 'two:/data', at_work: true, host_agent: true, runs: 0, run_slots: 8, ...none },
    { id: lost, place: 'one:/data', at_work: false, host_agent: false, runs: 1, run_slots: 4, ...none },
  ])
})
