import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { EventStreams } from '../../../testing/apps/event-streams.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRoom } from '../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { addMember, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { notifyMissed } from '../../db/notify.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { insertNotifications } from '../notification-store.ts'

const { db, url } = await createTestDatabase()
const streams = new EventStreams({ db, url })
const follow = streams.follow.bind(streams)
let tenant: Tenant
let task: RunnableTask

// A company of its own for each test: what one test changes may be notified while the next one runs.
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const queue = (chatroom_id = tenant.roomId) => makeRun(db, task, { chatroom_id })
const cancel = (id: string) => cancelRun(db, { id, company_id: tenant.companyId })

/** Cancels a run, whose event shows that nothing came before it. */
async function expectNextOf(next: () => Promise<LiveEvent | undefined>, id: string) {
  await cancel(id)
  expect(await next()).toMatchObject({ kind: 'run', id, status: 'cancelled' })
}

const notify = (userIds: string[]) =>
  db.transaction().execute((trx) =>
    insertNotifications(trx, [
      {
        userIds,
        notice: {
          companyId: tenant.companyId,
          source: newId('notificationEvent'),
          event: 'run_terminal',
          title: 'Report: completed',
          deepLink: '/console/runs',
          subjectType: 'run',
          subjectId: null,
          chatroomId: null,
          count: 1,
          isDaily: false,
          at: new Date(),
        } as never,
      },
    ]),
  )

describe('a stream of events', () => {
  it('says what happens to the runs of a room, as they are when it is said', async () => {
    const id = await queue()
    const { next } = await follow(tenant.member, `room:${tenant.roomId}`)
    const [event] = await Promise.all([next(), cancel(id)])
    expect(event).toEqual({
      kind: 'run',
      id,
      chatroom_id: tenant.roomId,
      task_id: task.taskId,
      status: 'cancelled',
      error_code: 'cancelled',
      queued_at: expect.any(String),
      started_at: null,
      terminal_at: expect.any(String),
    })
  })

  it('has the runs of its topics alone', async () => {
    const other = await makeRoom(db, tenant)
    await addMember(db, {
      companyId: tenant.companyId,
      roomId: other,
      userId: tenant.member.principalId,
    })
    const [elsewhere, followed, inRoom] = [await queue(other), await queue(other), await queue()]
    const { next } = await follow(tenant.member, `run:${followed},room:${tenant.roomId}`)
    await cancel(elsewhere)
    await expectNextOf(next, followed)
    await expectNextOf(next, inRoom)
  })

  it('has no runs that the person may not see, and all of the company for its managers', async () => {
    const other = await makeRoom(db, tenant)
    const [hidden, seen] = [await queue(other), await queue()]
    const ofMember = await follow(tenant.member, `room:*,room:${other},run:${hidden}`)
    const ofManager = await follow(tenant.companyManager, 'room:*')
    await cancel(hidden)
    expect(await ofManager.next()).toMatchObject({ id: hidden })
    await expectNextOf(ofMember.next, seen)
  })

  it('has nothing of another company', async () => {
    const foreign = await makeTenant(db)
    const foreignTask = await makeRunnableTask(db, foreign.companyId)
    const [theirs, own] = [await makeRun(db, foreignTask, { chatroom_id: foreign.roomId }), await queue()]
    const watching = await follow(foreign.companyManager, 'room:*')
    const { next } = await follow(tenant.companyManager, `room:*,room:${foreign.roomId},run:${theirs}`)
    await cancelRun(db, { id: theirs, company_id: foreign.companyId })
    expect(await watching.next()).toMatchObject({ id: theirs })
    await expectNextOf(next, own)
  })

  it('reports notifications to their person, and to nobody else', async () => {
    const own = await follow(tenant.member, 'me')
    const others = await follow(tenant.roomManager, 'me,room:*')
    await notify([tenant.member.principalId])
    expect(await own.next()).toEqual({ kind: 'notification', unread: 1 })
    await expectNextOf(others.next, await queue())
  })

  it('ends for who may not follow any more', async () => {
    let ended = false
    const { next } = await follow(tenant.member, 'room:*', async () => {
      if (ended) throw new Error('dismissed')
      return tenant.member
    })
    ended = true
    await cancel(await queue())
    await expect(next()).rejects.toThrow('dismissed')
  })

  it('has its reader read everything anew when a process starts, whose last notifications may be lost', async () => {
    const { next } = await follow(tenant.member, `room:${tenant.roomId}`)
    await notifyMissed(db)
    expect(await next()).toEqual({ kind: 'resync' })
  })

  it('is one for each person, key or sign-in: a newer one ends it', async () => {
    const first = await follow(tenant.member, 'me')
    const other = await follow({ ...tenant.member, signInId: 'sgn_other' }, 'me')
    await follow(tenant.member, 'me')
    expect(await first.next()).toEqual({ kind: 'replaced' })
    expect(await first.next()).toBeUndefined()
    await notify([tenant.member.principalId])
    expect(await other.next()).toMatchObject({ kind: 'notification' })
  })
})

it('a company has a bounded number of streams, and each place is free again', async () => {
  const person = (at: number) => ({ ...tenant.member, signInId: `sgn_${at}` })
  const pages = []
  for (let at = 0; at < 128; at += 1) pages.push(await follow(person(at), 'me'))
  await expect(follow(person(128), 'me')).rejects.toMatchObject({ code: 'watchers_busy' })
  const [first] = pages
  first?.leave()
  expect(await first?.next()).toBeUndefined()
  await follow(person(128), 'me')
})

it('notifies of the kill switch', async () => {
  const ids = [await queue(), await queue()]
  const { next } = await follow(tenant.member, `room:${tenant.roomId}`)
  for (const [at, enabled] of [false, true].entries()) {
    const id = ids[at] ?? ''
    streams.isEnabled = enabled
    const [event] = await Promise.all([next(), cancel(id)])
    expect(event).toMatchObject({ kind: 'service', enabled })
    expect(await next()).toMatchObject({ kind: 'run', id })
  }
})
