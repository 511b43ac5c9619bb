import pg from 'pg'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { newId } from '../../../server/base/ids.ts'
import { queueMail } from '../../../server/notifications/mail/queue-mail.ts'
import { type NoticeSink, Notifier } from '../../../server/notifications/notifier.ts'
import { cancelRun } from '../../../server/runs/queue/cancel-run.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { findNoticeFaults } from './notices.ts'

/* The check of the crash suite, on notices that the service has made and on planted faults. */

const { db, url } = await createTestDatabase()
const database = new pg.Client(url)
await database.connect()
afterAll(() => database.end())

const clock = { now: () => new Date() }
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)
await database.query('update users set email = $1 where id = $2', [
  'ada@people.test',
  tenant.member.principalId,
])
await database.query(
  `insert into webhooks (id, company_id, url, description, events, created_by) values ('whk_1', $1, 'https://a.test', '', '{}', 'x')`,
  [tenant.companyId],
)
let run: string
let event: string
let mail: string

/** A receiver for which each event is delivered at once. */
const deliver: NoticeSink = async (trx, addressed) => {
  for (const { notice } of addressed)
    await trx
      .insertInto('webhook_deliveries')
      .values({
        id: newId('webhookDelivery'),
        company_id: notice.companyId,
        webhook_id: 'whk_1',
        event_id: newId('notificationEvent'),
        event: notice.event,
        body: bodyOf(String(notice.subjectId)),
        lane: 'first',
        due_at: notice.at,
        give_up_at: notice.at,
        attempted_at: null,
        status: 204,
        error: null,
        outcome: 'delivered',
      })
      .execute()
}
const bodyOf = (id: string) => JSON.stringify({ data: { subject_id: id } })
const notifier = new Notifier(db, [deliver, queueMail({ clock, origin: { baseUrl: 'http://test' } })])

beforeEach(async () => {
  for (const table of ['notifications', 'webhook_deliveries', 'mail_deliveries'])
    await database.query(`delete from ${table}`)
  run = await makeRun(db, task, { chatroom_id: tenant.roomId, principal_id: tenant.member.principalId })
  await cancelRun(db, { id: run, company_id: tenant.companyId })
  await notifier.notifyAll()
  await database.query(`update mail_deliveries set outcome = 'sent', attempts = 1`)
  event = (await database.query('select event_id from webhook_deliveries')).rows[0].event_id
  mail = `<${(await database.query('select id from mail_deliveries')).rows[0].id}@sandbox.test>`
})
const faults = (posts = [{ id: event, body: bodyOf(run) }], mails = [{ id: mail }]) =>
  findNoticeFaults(database, [run], { posts, mails })

it('finds nothing where each end is one notification, one event and one e-mail', async () => {
  expect(await faults()).toEqual([])
  const post = { id: event, body: bodyOf(run) }
  expect(await faults([post, post])).toEqual([])
  await database.query('update mail_deliveries set attempts = 2')
  expect(await faults([post], [{ id: mail }, { id: mail }])).toEqual([])
})

it('finds an end without a notice: its event was deleted, and the process died before it wrote the notification', async () => {
  for (const table of ['notifications', 'webhook_deliveries', 'mail_deliveries'])
    await database.query(`delete from ${table}`)
  expect(await faults([], [])).toEqual([
    `${run} has 0 notifications`,
    `${run} has 0 events, 0 delivered`,
    `${run} was posted under the ids none`,
    `${run} has no e-mail`,
  ])
})

it('finds a second notice: the notification was written, and the process died before it deleted the event', async () => {
  await database.query(
    `insert into event_outbox (company_id, event, subject_id) values ($1, 'run_terminal', $2)`,
    [tenant.companyId, run],
  )
  await notifier.notifyAll()
  await database.query(`update mail_deliveries set outcome = 'sent', attempts = 1`)
  expect(await faults()).toEqual([
    `${run} has 2 notifications`,
    `${run} has 2 events, 2 delivered`,
    `${run} has two e-mails`,
  ])
})

it('finds a post under another id, with another body, and one that never came', async () => {
  const post = { id: event, body: bodyOf(run) }
  expect(await faults([post, { ...post, id: 'evt_other' }])).toEqual([
    `${run} was posted under the ids ${event}, evt_other`,
  ])
  expect(await faults([post, { ...post, body: post.body.replace('}', ' }') }])).toEqual([
    `${run} was posted with different bodies`,
  ])
  expect(await faults([])).toEqual([`${run} was posted under the ids none`])
})

it('finds an e-mail that came twice in one attempt, and one that never came', async () => {
  expect(await faults(undefined, [{ id: mail }, { id: mail }])).toEqual([
    `the e-mail of ${run} came 2 times in 1 attempts`,
  ])
  expect(await faults(undefined, [])).toEqual([`the e-mail of ${run} came 0 times in 1 attempts`])
})
