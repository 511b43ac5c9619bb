import { scheduleFailuresMax } from '@sandbox-jobs/contract/limits.ts'
import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { scheduleRoutes } from '@sandbox-jobs/contract/routes/schedule-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type OfferedTask, ScheduleSteps } from '../../../testing/apps/steps/schedule-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun } from '../../../testing/factories/runs.ts'
import { insertApiKey } from '../../access/keys/api-key-store.ts'
import type { Principal } from '../../access/principal.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'
import { skipRestoredTicks } from '../catalogue/schedule-store.ts'
import { ScheduledRuns, type SchedulesOptions } from './start-schedules.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const steps = new ScheduleSteps(api)
const { directory, outputs, log } = api.context
const minuteMs = 60_000
const dayMs = 86_400_000

let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }

const worker = (changes: Partial<SchedulesOptions> = {}) =>
  new ScheduledRuns({
    ...{ db, directory, outputs, clock, log },
    queue: new SubmissionQueue(db, api.policy),
    policy: api.policy,
    runnables: new Runnables(db),
    validateInput: inputChecker(db),
    mayStart: async () => true,
    ...changes,
  })

let offered: OfferedTask
let own: Schedule
beforeEach(async () => {
  aheadMs = 0
  await sql`delete from schedules where company_id is not null`.execute(db)
  offered = await steps.offer(db)
  own = await steps.mustCreate(offered)
})

/** Sets the clock to a time after the next tick, and looks. */
async function pass(ms = 1000, schedule = own): Promise<number> {
  const { next_at } = await steps.read(offered, schedule)
  aheadMs = Date.parse(String(next_at[0])) + ms - Date.now()
  return worker().startAll()
}

const results = async (of = own) =>
  (await steps.ticks(offered, of)).map(({ run_id, skipped_because }) => skipped_because ?? (run_id && 'run'))

const runsOf = ({ tenant: { companyId } }: OfferedTask) =>
  db
    .selectFrom('runs')
    .select(['id', 'principal_id', 'api_key_id', 'chatroom_id', 'task_version_id', 'input_digest'])
    .where('company_id', '=', companyId)
    .execute()

const endRuns = (state: string) =>
  sql`
  update runs set state = ${state}, terminal_at = now(), exit_code = ${state === 'completed' ? 0 : 1}
  where company_id = ${offered.tenant.companyId} and terminal_at is null`.execute(db)

const change = (body: Record<string, unknown>) =>
  steps.of<Schedule>(offered, own, scheduleRoutes.updateSchedule, { body })

describe('a tick', () => {
  it('starts one run as the person of the schedule, and no second one', async () => {
    expect(await worker().startAll()).toBe(0)
    expect(await pass()).toBe(1)
    expect(await worker().startAll()).toBe(0)
    expect(await runsOf(offered)).toMatchObject([
      {
        principal_id: offered.tenant.roomManager.principalId,
        chatroom_id: offered.tenant.roomId,
        task_version_id: offered.task.versionId,
      },
    ])
    const { last, next_at } = await steps.read(offered, own)
    expect(last).toMatchObject({ due_at: own.next_at[0], run_id: expect.any(String), skipped_because: null })
    expect(next_at[0]).toBe(own.next_at[1])
  })

  it('starts one run however many workers look at once', async () => {
    aheadMs = Date.parse(String(own.next_at[0])) + 1000 - Date.now()
    await Promise.all(Array.from({ length: 4 }, () => worker().startAll()))
    expect(await runsOf(offered)).toHaveLength(1)
    expect(await results()).toEqual(['run'])
  })

  it('is due again after a process that died before its commit', async () => {
    const queue = new SubmissionQueue(db, api.policy)
    const dies = Object.assign(Object.create(queue), {
      enqueueWithin: async (...args: Parameters<typeof queue.enqueueWithin>) => {
        await queue.enqueueWithin(...args)
        throw new Error('the process died')
      },
    }) as SubmissionQueue
    aheadMs = Date.parse(String(own.next_at[0])) + 1000 - Date.now()
    await worker({ queue: dies }).startAll()
    expect([await runsOf(offered), await results()]).toEqual([[], []])
    aheadMs += 20_000
    await worker().startAll()
    expect(await results()).toEqual(['run'])
  })

  it('starts no second run while the last one has not ended', async () => {
    await pass()
    await pass()
    expect(await results()).toEqual(['run', 'previous_run_active'])
    await endRuns('completed')
    await pass()
    expect(await runsOf(offered)).toHaveLength(2)
  })

  it('waits while the queue is full, and then has the code of the refusal', async () => {
    const { companyId, roomId } = offered.tenant
    await setOperatorPolicy({ db, deployment: 'onprem' }, companyId, { queued_run_limit: 1 })
    await makeRun(db, offered.task, { chatroom_id: roomId })
    await pass()
    expect(await results()).toEqual([])
    await pass(4.9 * minuteMs)
    expect(await results()).toEqual(['sandbox_queued_run_limit'])
    await pass()
    await endRuns('completed')
    aheadMs += 16_000
    await worker().startAll()
    expect(await results()).toEqual(['sandbox_queued_run_limit', 'run'])
  })
})

describe('ticks that were missed', () => {
  it('are skipped together', async () => {
    await pass(180 * dayMs)
    expect(await results()).toEqual(['missed'])
    const { next_at } = await steps.read(offered, own)
    expect(Date.parse(String(next_at[0]))).toBeGreaterThan(clock.now().getTime())
    await pass()
    expect(await results()).toEqual(['missed', 'run'])
  })

  it('start one run together, if the schedule says so', async () => {
    await change({ missed: 'once' })
    await pass(180 * dayMs)
    expect(await worker().startAll()).toBe(0)
    expect(await results()).toEqual(['run'])
  })

  it('start none of what came before a backup was restored', async () => {
    await change({ missed: 'once' })
    await sql`update schedules set since = now() - interval '2 h', next_at = date_trunc('second', now()) - interval '1 h',
      look_at = now() - interval '1 h' where company_id = ${offered.tenant.companyId}`.execute(db)
    await db.transaction().execute(skipRestoredTicks)
    expect(await worker().startAll()).toBe(1)
    expect(await results()).toEqual(['restored_from_backup'])
  })

  it('start nothing while it is paused, or once it is resumed', async () => {
    await change({ missed: 'once', enabled: false })
    aheadMs = 180 * dayMs
    expect(await worker().startAll()).toBe(0)
    aheadMs = 0
    await change({ enabled: true })
    expect(await worker().startAll()).toBe(0)
    expect(await results()).toEqual([])
  })
})

describe('a clock', () => {
  it('that is set back has no tick come twice', async () => {
    await pass()
    await endRuns('completed')
    aheadMs = 0
    await worker().startAll()
    // Resuming takes the next tick by the clock, which was handled before.
    await sql`update schedules set next_at = ${own.next_at[0]}::timestamptz, look_at = ${own.next_at[0]}::timestamptz
      where company_id = ${offered.tenant.companyId}`.execute(db)
    await pass()
    expect(await results()).toEqual(['run'])
    expect(await runsOf(offered)).toHaveLength(1)
    expect((await steps.read(offered, own)).next_at[0]).toBe(own.next_at[1])
  })

  it('that was ahead leaves the ticks of that time behind', async () => {
    await pass(4 * minuteMs)
    const { next_at } = await steps.read(offered, own)
    aheadMs = 0
    expect(await worker().startAll()).toBe(0)
    expect(Date.parse(String(next_at[0]))).toBeGreaterThan(Date.now())
    expect((await change({ enabled: true })).body.next_at[0]).toBe(own.next_at[0])
  })
})

describe('a schedule is paused', () => {
  const state = async () => (await steps.read(offered, own)).paused_because

  it('when its person is no longer what they were', async () => {
    const { companyId, roomManager } = offered.tenant
    await sql`update chatroom_members set room_manager = false
      where company_id = ${companyId} and user_id = ${roomManager.principalId}`.execute(db)
    await pass()
    const { body } = await steps.of<Schedule>(offered, own, scheduleRoutes.readSchedule)
    expect(body).toMatchObject({ paused_because: 'authority_revoked', next_at: [] })
    expect(body.last).toMatchObject({ skipped_because: 'authority_revoked', run_id: null })
    expect(await runsOf(offered)).toEqual([])
  })

  it('when its person is gone', async () => {
    const { companyId, roomManager, departmentManager } = offered.tenant
    await sql`update users set disabled_at = now() where company_id = ${companyId} and id = ${roomManager.principalId}`.execute(
      db,
    )
    await pass()
    const as = { as: departmentManager }
    expect((await steps.of(offered, own, scheduleRoutes.readSchedule, as)).body.paused_because).toBe(
      'authority_revoked',
    )
  })

  it('when its room no longer offers the task', async () => {
    await api.must(chatroomRoutes.disableGrantedJob, offered.tenant.roomManager, {
      params: { cid: offered.tenant.roomId, tid: offered.task.taskId },
    })
    await pass()
    expect(await state()).toBe('authority_revoked')
  })

  it('when the key by which it was made is revoked', async () => {
    const { companyId, roomManager } = offered.tenant
    const { id } = await insertApiKey(db, {
      ...{ companyId, ownerUserId: roomManager.principalId, name: 'key', scope: 'full' },
      ...{ keyHash: Buffer.alloc(32, 7), pepper: 0, allowedChatroomIds: [], domains: ['*'], expiresAt: null },
    })
    const apiKey: Principal['apiKey'] = { id, scope: 'full', allowedChatroomIds: [] }
    await steps.of(offered, own, scheduleRoutes.deleteSchedule)
    own = (await steps.create(offered, {}, { ...roomManager, authMethod: 'api_key', apiKey })).body
    await pass()
    expect(await runsOf(offered)).toMatchObject([{ api_key_id: id }])
    await sql`update api_keys set revoked_at = now() where company_id = ${companyId} and id = ${id}`.execute(
      db,
    )
    await endRuns('completed')
    await pass()
    expect(await state()).toBe('authority_revoked')
  })

  it('after failures in a row, and counts anew once it is resumed', async () => {
    for (let failed = 0; failed < scheduleFailuresMax; failed += 1) {
      await pass()
      await endRuns(failed === 0 ? 'completed' : 'customer_failed')
    }
    await pass()
    await endRuns('customer_failed')
    expect(await state()).toBe(null)
    await pass()
    expect(await state()).toBe('too_many_failures')
    expect((await results()).at(-1)).toBe('too_many_failures')
    aheadMs = 0
    await sql`update schedule_ticks set due_at = due_at - interval '5 years'
      where company_id = ${offered.tenant.companyId}`.execute(db)
    await change({ enabled: true })
    await pass()
    expect((await results()).at(-1)).toBe('run')
  })
})

it('no run starts once none may start any more', async () => {
  await steps.mustCreate(offered, { name: 'second' })
  aheadMs = Date.parse(String(own.next_at[0])) + 1000 - Date.now()
  const mayStart = async () => (await runsOf(offered)).length === 0
  expect(await worker({ mayStart }).startAll()).toBe(1)
  expect(await runsOf(offered)).toHaveLength(1)
  expect(await worker().startAll()).toBe(1)
  expect(await runsOf(offered)).toHaveLength(2)
})

it('many schedules of a company delay no other company', async () => {
  const { companyId } = offered.tenant
  await sql`insert into schedules select (jsonb_populate_record(s, jsonb_build_object('id', 'sch_' || n, 'name', n))).*
    from schedules s, generate_series(1, 150) n where s.company_id = ${companyId} and s.id = ${own.id}`.execute(
    db,
  )
  const others = [await steps.offer(db), await steps.offer(db)]
  for (const other of others) await steps.mustCreate(other)
  aheadMs = Date.parse(String(own.next_at[0])) + 1000 - Date.now()
  await worker().startRound()
  for (const other of others) expect(await runsOf(other)).toHaveLength(1)
  expect((await runsOf(offered)).length).toBeLessThanOrEqual(20)
})
