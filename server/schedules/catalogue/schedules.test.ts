import { schedulesPerRoom } from '@sandbox-jobs/contract/limits.ts'
import type {
  Schedule,
  ScheduleList,
  SchedulePreview,
} from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { scheduleRoutes } from '@sandbox-jobs/contract/routes/schedule-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../testing/apps/answer.ts'
import { type OfferedTask, ScheduleSteps } from '../../../testing/apps/steps/schedule-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices } from '../../../testing/factories/prices.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const steps = new ScheduleSteps(api)

let offered: OfferedTask
beforeEach(async () => {
  offered = await steps.offer(db)
})

const list = async () =>
  (
    await api.must<ScheduleList>(scheduleRoutes.listSchedules, offered.tenant.member, {
      params: { cid: offered.tenant.roomId },
    })
  ).items

describe('a schedule is', () => {
  it('made by a manager of the room, and listed to its people with the next ticks', async () => {
    const made = await steps.mustCreate(offered, { cron: '0 8 * * *', time_zone: 'Asia/Tokyo' })
    expect(made).toMatchObject({
      run_as: offered.tenant.roomManager.principalId,
      task_name: 'Report',
      missed: 'skip',
      paused_because: null,
      last: null,
    })
    expect(made.next_at).toHaveLength(3)
    for (const at of made.next_at) expect(at).toMatch(/T23:00:00.000Z$/)
    expect(await list()).toEqual([made])
    const input = await steps.of(offered, made, scheduleRoutes.readScheduleInput, {
      as: offered.tenant.member,
    })
    expect(input.text).toBe('{"month":"2026-10"}')
  })

  it('changed and then runs as who changed it, but not when it is only paused', async () => {
    const { tenant } = offered
    const made = await steps.mustCreate(offered)
    const change = (body: Record<string, unknown>, as = tenant.departmentManager) =>
      steps.of<Schedule>(offered, made, scheduleRoutes.updateSchedule, { as, body })
    expect((await change({ enabled: false })).body).toMatchObject({
      run_as: tenant.roomManager.principalId,
      paused_because: 'by_person',
      next_at: [],
    })
    expect((await change({ enabled: false })).status).toBe(200)
    expect(
      (await change({ cron: '5 4 * * *', missed: 'once', name: 'night', input: null })).body,
    ).toMatchObject({
      run_as: tenant.departmentManager.principalId,
      cron: '5 4 * * *',
      missed: 'once',
      name: 'night',
      paused_because: 'by_person',
    })
    expect((await steps.of(offered, made, scheduleRoutes.readScheduleInput)).text).toBe('null')
    expect((await change({ enabled: true }, tenant.roomManager)).body).toMatchObject({
      run_as: tenant.roomManager.principalId,
      paused_because: null,
      paused_at: null,
    })
    expect(codeOf(await change({}))).toBe('no_fields')
  })

  it('deleted', async () => {
    const made = await steps.mustCreate(offered)
    expect((await steps.of(offered, made, scheduleRoutes.deleteSchedule)).body).toMatchObject({ id: made.id })
    expect(await list()).toEqual([])
    expect((await steps.of(offered, made, scheduleRoutes.readSchedule)).status).toBe(404)
  })
})

describe('refused are', () => {
  it('people who do not manage the room, and strangers as if there was none', async () => {
    const { member, stranger, companyId } = offered.tenant
    const made = await steps.mustCreate(offered)
    const other = await steps.offer(db)
    for (const as of [member, stranger, other.tenant.companyManager]) {
      expect((await steps.create(offered, { name: 'x' }, as)).status).toBe(404)
      const change = { as, body: { enabled: false } }
      expect((await steps.of(offered, made, scheduleRoutes.updateSchedule, change)).status).toBe(404)
      expect((await steps.of(offered, made, scheduleRoutes.deleteSchedule, { as })).status).toBe(404)
    }
    const count = sql<{
      count: number
    }>`select count(*)::int as count from schedules where company_id = ${companyId}`
    expect((await count.execute(db)).rows).toEqual([{ count: 1 }])
  })

  it('expressions and zones, each with its reason', async () => {
    const answer = await steps.create(offered, { cron: '* * * * * *', time_zone: 'Mars/Base' })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      detail: [
        { type: 'cron', loc: ['body', 'cron'], msg: expect.stringContaining('five fields') },
        { type: 'time_zone', loc: ['body', 'time_zone'] },
      ],
    })
  })

  it('tasks that the room does not offer, and those that a person has to confirm', async () => {
    const { task } = await steps.offer(db)
    expect((await steps.create(offered, { task_id: task.taskId })).status).toBe(404)
    const careful = await steps.offer(db, { requires_confirmation: true })
    expect(codeOf(await steps.create(careful))).toBe('schedule_needs_confirmation')
  })

  it('inputs that do not fit the schema, and names that are taken', async () => {
    const strict = await steps.offer(db, {
      input_schema: JSON.stringify({ type: 'object', required: ['missing'] }),
    })
    expect(codeOf(await steps.create(strict))).toBe('input_schema_violation')
    await steps.mustCreate(offered)
    expect(codeOf(await steps.create(offered))).toBe('already_exists')
    const other = await steps.mustCreate(offered, { name: 'other' })
    const renamed = await steps.of(offered, other, scheduleRoutes.updateSchedule, {
      body: { name: 'report' },
    })
    expect(codeOf(renamed)).toBe('already_exists')
  })

  it('more of them than a room may have', async () => {
    const { companyId, roomId } = offered.tenant
    const made = await steps.mustCreate(offered)
    await sql`insert into schedules select (jsonb_populate_record(s, jsonb_build_object('id', 'sch_' || n, 'name', n))).*
      from schedules s, generate_series(2, ${schedulesPerRoom}::int) n
      where s.company_id = ${companyId} and s.id = ${made.id} and s.chatroom_id = ${roomId}`.execute(db)
    expect(codeOf(await steps.create(offered, { name: 'one more' }))).toBe('schedule_limit')
  })
})

describe('a preview shows', () => {
  const preview = (query: Record<string, string> = {}) =>
    api.call<SchedulePreview>(scheduleRoutes.previewSchedule, offered.tenant.roomManager, {
      params: { cid: offered.tenant.roomId },
      query: { task_id: offered.task.taskId, cron: '0 6 * * *', time_zone: 'UTC', ...query },
    })

  it('five ticks and the price of thirty days, and makes nothing', async () => {
    await applyTestPrices(db)
    const { body } = await preview({ timeout_seconds: '60' })
    expect(body.next_at).toHaveLength(5)
    expect(body).toMatchObject({ ticks_30_days: 30, typical_cost_30_days: null, run: { refusals: [] } })
    expect(Number(body.hold_30_days)).toBeCloseTo(30 * Number(body.run.hold), 6)
    expect(Number(body.run.hold)).toBeGreaterThan(0)
    expect(await list()).toEqual([])
  })

  it('why it cannot be made', async () => {
    expect((await preview({ cron: 'soon' })).status).toBe(422)
    offered = await steps.offer(db, { requires_confirmation: true })
    expect((await preview()).body.run.refusals).toMatchObject([{ code: 'schedule_needs_confirmation' }])
  })
})
