import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { EventStreams } from '../../../testing/apps/event-streams.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeBuildAttempt } from '../../../testing/factories/build-attempt.ts'
import { makeRoom } from '../../../testing/factories/platform.ts'
import { makeRun, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'

const { db, url } = await createTestDatabase()
const streams = new EventStreams({ db, url })
const harness = new AgentHarness(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await harness.offer(tenant, { requires_confirmation: true })
})

/** The events until now, without those of runs. Two runs are cancelled: all events of a reading come before those of the next one. */
async function eventsBefore(next: () => Promise<LiveEvent | undefined>): Promise<LiveEvent[]> {
  return [...(await eventsUntilCancel(next)), ...(await eventsUntilCancel(next))]
}

async function eventsUntilCancel(next: () => Promise<LiveEvent | undefined>): Promise<LiveEvent[]> {
  const last = await makeRun(db, task, { chatroom_id: tenant.roomId })
  await cancelRun(db, { id: last, company_id: tenant.companyId })
  const events: LiveEvent[] = []
  for (;;) {
    const event = await next()
    if (event?.kind === 'run' && event.id === last && event.status === 'cancelled') return events
    if (event && event.kind !== 'run') events.push(event)
  }
}

describe('a build', () => {
  const enter = (attempt_id: string, stage: string, { companyId: company_id } = tenant) =>
    db.transaction().execute(async (trx) => {
      await trx
        .updateTable('build_attempts')
        .set({ stage_code: stage })
        .where('id', '=', attempt_id)
        .execute()
      await trx.insertInto('build_stages').values({ attempt_id, company_id, stage }).execute()
    })

  it('is sent to its followers as it enters a stage', async () => {
    const [followed, other] = [await makeBuildAttempt(db, tenant), await makeBuildAttempt(db, tenant)]
    const { next } = await streams.follow(tenant.member, `build:${followed.id}`)
    await enter(other.id, 'static_scan')
    await enter(followed.id, 'static_scan')
    expect(await next()).toMatchObject({
      kind: 'build',
      id: followed.id,
      environment_version_id: followed.versionId,
      status: 'building',
      stage: 'static_scan',
      stage_index: expect.any(Number),
      error_code: '',
    })
  })

  it('of another company is not sent', async () => {
    const foreign = await makeTenant(db)
    const theirs = await makeBuildAttempt(db, foreign)
    const topics = `build:${theirs.id},room:*`
    const { next } = await streams.follow(tenant.companyManager, topics)
    const own = await streams.follow(foreign.member, topics)
    await enter(theirs.id, 'smoke', foreign)
    expect(await own.next()).toMatchObject({ id: theirs.id })
    expect(await eventsBefore(next)).toEqual([])
  })
})

describe('a menu', () => {
  const revoke = () =>
    db
      .updateTable('bindings')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('chatroom_id', '=', tenant.roomId)
      .execute()

  it('of a room is sent to its members', async () => {
    const { next } = await streams.follow(tenant.member, `room:${tenant.roomId}`)
    await revoke()
    expect(await next()).toEqual({ kind: 'menu', chatroom_id: tenant.roomId })
  })

  it('of a room is not sent to others', async () => {
    const room = await makeRoom(db, tenant)
    const { next } = await streams.follow(tenant.member, `room:${room},me,room:*`)
    await db
      .updateTable('bindings')
      .set({ chatroom_id: room })
      .where('chatroom_id', '=', tenant.roomId)
      .execute()
    expect(await eventsBefore(next)).toEqual([])
  })

  it('may be any after a change of a task', async () => {
    const { next } = await streams.follow(tenant.member, 'room:*')
    await db.updateTable('tasks').set({ name: 'Renamed' }).where('id', '=', task.taskId).execute()
    expect(await next()).toEqual({ kind: 'menu', chatroom_id: null })
  })

  it('changes with the approvals and secrets of its room', async () => {
    const { next } = await streams.follow(tenant.member, 'room:*')
    await db
      .insertInto('secret_bindings')
      .values({
        id: newId('secretBinding'),
        company_id: tenant.companyId,
        consumer_scope: 'chatroom',
        consumer_id: tenant.roomId,
        task_id: task.taskId,
        slot_name: 'API_TOKEN',
        generation: 1,
        created_by: tenant.roomManager.principalId,
      })
      .execute()
    expect(await next()).toEqual({ kind: 'menu', chatroom_id: tenant.roomId })
  })
})

describe('an inbox', () => {
  it('of a person changes when an agent proposes a job to them, and is sent to nobody else', async () => {
    const turn = await harness.post(tenant.member, tenant.roomId)
    const own = await streams.follow(tenant.member, 'me,room:*')
    const others = await streams.follow(tenant.companyManager, 'me,room:*')
    const body = { mode: 'request', task_version_id: task.versionId, input: { day: 'Monday' } }
    await harness.tool(turn, 'sandbox_submit_job', body)
    expect(await own.next()).toEqual({ kind: 'inbox' })
    expect(await eventsBefore(others.next)).toEqual([])
  })

  it('of those in a room may change with its menu', async () => {
    const { next } = await streams.follow(tenant.roomManager, 'me')
    await db.updateTable('tasks').set({ state: 'archived' }).where('id', '=', task.taskId).execute()
    expect(await next()).toEqual({ kind: 'inbox' })
  })
})

it('a notification that was read is sent to the other pages of its person', async () => {
  const of = { company_id: tenant.companyId, user_id: tenant.member.principalId }
  const id = newId('notification')
  await db
    .insertInto('notifications')
    .values({
      ...of,
      id,
      source: newId('notificationEvent'),
      event: 'run_terminal',
      title: 'Report: completed',
      deep_link: '/console/runs',
      subject_type: 'run',
      subject_id: null,
      chatroom_id: null,
      created_at: new Date(),
      read_at: null,
    })
    .execute()
  const { next } = await streams.follow(tenant.member, 'me')
  await db.updateTable('notifications').set({ read_at: new Date() }).where('id', '=', id).execute()
  expect(await next()).toEqual({ kind: 'notification', unread: 0 })
})
