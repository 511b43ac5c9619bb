import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import type { Principal } from '../access/principal.ts'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import { cancelRun } from '../runs/queue/cancel-run.ts'
import { recordEvents } from '../work/outbox.ts'
import { sweepNotifications } from './notification-centre.ts'
import { Notifier } from './notifier.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const notifier = new Notifier(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const list = async (principal: Principal, query: Record<string, string> = {}) =>
  api.must(allRoutes.listNotifications, principal, { query })
const endedRun = async (submitter = tenant.member.principalId, fields = {}): Promise<string> => {
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId, principal_id: submitter, ...fields })
  await cancelRun(db, { id, company_id: tenant.companyId })
  return id
}
const waiting = () =>
  db.selectFrom('event_outbox').modifyFront(acrossCompanies('a test')).selectAll().execute()

describe('the end of a run', () => {
  it('notifies its submitter, and nobody else', async () => {
    const id = await endedRun()
    await notifier.notifyAll()
    const { items } = await list(tenant.member)
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        type: 'sandbox_event',
        event: 'run_terminal',
        title: 'Report: cancelled',
        deep_link: `/console/chatrooms/${tenant.roomId}/runs/${id}`,
        subject_type: 'run',
        subject_id: id,
        chatroom_id: tenant.roomId,
        count: 1,
        created_at: expect.any(String),
        read_at: null,
      },
    ])
    for (const other of [tenant.roomManager, tenant.companyManager, tenant.stranger])
      expect((await list(other)).items).toEqual([])
  })

  it('notifies nobody where the run came by a door', async () => {
    const { items: before } = await list(tenant.member)
    const id = await endedRun()
    await db
      .updateTable('runs')
      .set({ api_key_id: newId('door') })
      .where('id', '=', id)
      .execute()
    await notifier.notifyAll()
    expect((await list(tenant.member)).items).toEqual(before)
  })

  it('notifies once, also when notifiers work at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => endedRun()))
    await Promise.all(Array.from({ length: 4 }, () => new Notifier(db).notifyAll()))
    await notifier.notifyAll()
    const { items } = await list(tenant.member, { page_size: '100' })
    expect(items.map(({ subject_id }) => subject_id).toSorted()).toEqual(ids.toSorted())
    expect(await waiting()).toEqual([])
  })

  it('leaves the event where a round fails, and nothing of the round', async () => {
    await endedRun()
    const failing = new Notifier(db, [() => Promise.reject(new Error('disk full'))])
    await expect(failing.notifyAll()).rejects.toThrow('disk full')
    expect((await list(tenant.member)).items).toEqual([])
    await notifier.notifyAll()
    expect((await list(tenant.member)).items).toHaveLength(1)
  })

  it('notifies nobody where the submitter is unknown, disabled or no user, and keeps no event', async () => {
    await endedRun(newId('user'))
    await endedRun('cli_1', { principal_type: 'social_media_client' })
    await endedRun()
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', tenant.member.principalId)
      .execute()
    await notifier.notifyAll()
    expect((await list(tenant.member)).items).toEqual([])
    expect(await waiting()).toEqual([])
  })

  it('shows the name of the task on one line, with hidden characters spelled out', async () => {
    await db
      .updateTable('tasks')
      .set({ name: `A\n\u202eB${'x'.repeat(100)}` })
      .where('id', '=', task.taskId)
      .execute()
    await endedRun()
    await notifier.notifyAll()
    const [item] = (await list(tenant.member)).items
    expect(item?.title).toMatch(/^A \\u\{202e\}Bx{69}\.\.\.: cancelled$/)
  })
})

describe('a company with many events', () => {
  it('delays no other: each round takes the same number of each', async () => {
    const quiet = await makeTenant(db)
    const quietTask = await makeRunnableTask(db, quiet.companyId)
    const event = { event: 'run_terminal', subjectId: newId('run') }
    await recordEvents(
      db,
      Array.from({ length: 500 }, () => ({ companyId: tenant.companyId, ...event })),
    )
    const id = await makeRun(db, quietTask, {
      chatroom_id: quiet.roomId,
      principal_id: quiet.member.principalId,
    })
    await cancelRun(db, { id, company_id: quiet.companyId })
    expect(await new Notifier(db).notifyOnce()).toBe(21)
    expect((await list(quiet.member)).items).toHaveLength(1)
    await notifier.notifyAll()
    expect(await waiting()).toEqual([])
  })
})

describe('a list of notifications', () => {
  it('has pages and a filter of unread ones, and marking one twice changes nothing', async () => {
    for (let each = 0; each < 3; each += 1) await endedRun()
    await notifier.notifyAll()
    const first = await list(tenant.member, { page_size: '2', unread: 'true' })
    expect(first.items).toHaveLength(2)
    const rest = await list(tenant.member, {
      page_size: '2',
      unread: 'true',
      page_token: String(first.next_page_token),
    })
    expect([rest.items.length, rest.next_page_token]).toEqual([1, null])
    const nid = String(first.items[0]?.id)
    const read = () => api.call(allRoutes.readNotification, tenant.member, { params: { nid } })
    const once = await read()
    expect([once.status, once.body.read_at]).toEqual([200, expect.any(String)])
    api.pass(5000)
    expect((await read()).body.read_at).toBe(once.body.read_at)
    expect((await list(tenant.member, { unread: 'true' })).items).toHaveLength(2)
    expect((await list(tenant.member, { unread: 'false' })).items).toHaveLength(1)
    const stranger = await api.call(allRoutes.readNotification, tenant.companyManager, { params: { nid } })
    expect(stranger.status).toBe(404)
  })

  it('marks all of a person up to a time as read, and no later ones', async () => {
    await endedRun()
    await notifier.notifyAll()
    const [seen] = (await list(tenant.member, { unread: 'true' })).items
    const read = async (person: Principal, before: string) =>
      (await api.must(allRoutes.readAllNotifications, person, { body: { before } })).unread
    const before = String(seen?.created_at)
    const later = new Date(Date.parse(before) + 60_000)
    await endedRun()
    await notifier.notifyAll()
    await db
      .updateTable('notifications')
      .set({ created_at: later })
      .where('user_id', '=', tenant.member.principalId)
      .where('id', '!=', String(seen?.id))
      .execute()
    expect(await read(tenant.companyManager, '9999-12-31T23:59:59.999Z')).toBe(0)
    expect(await read(tenant.member, before)).toBe(1)
    const [left] = (await list(tenant.member, { unread: 'true' })).items
    expect(left?.created_at).toBe(later.toISOString())
    expect(await read(tenant.member, '9999-12-31T23:59:59.999Z')).toBe(0)
    const wrong = await api.call(allRoutes.readAllNotifications, tenant.member, { body: { before: 'now' } })
    expect(wrong.status).toBe(422)
  })

  it('keeps the newest thousand of a user, for ninety days', async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => ({
      id: `ntf_0${String(at).padStart(31, '0')}`,
      company_id: tenant.companyId,
      user_id: tenant.member.principalId,
      source: `old ${at}`,
      event: 'run_terminal',
      title: 'old',
      deep_link: '/console/runs',
      subject_type: 'runs',
      subject_id: null,
      chatroom_id: null,
      created_at: new Date(Date.now() - 80 * 86_400_000),
      read_at: null,
    }))
    await db.insertInto('notifications').values(rows).execute()
    await endedRun()
    await endedRun()
    await notifier.notifyAll()
    const kept = () =>
      db
        .selectFrom('notifications')
        .select('source')
        .where('user_id', '=', tenant.member.principalId)
        .where('company_id', '=', tenant.companyId)
        .execute()
    const sources = (await kept()).map(({ source }) => source)
    expect(sources).toHaveLength(1000)
    expect(sources).not.toContain('old 1')
    expect(sources).toContain('old 2')
    const inTwentyDays = { now: () => new Date(Date.now() + 20 * 86_400_000) }
    expect(await sweepNotifications({ db, clock: inTwentyDays })).toEqual({ notifications: 998 })
    expect(await kept()).toHaveLength(2)
  })
})
