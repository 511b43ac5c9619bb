import { mailsPerUserAndDay } from '@sandbox-jobs/contract/limits.ts'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { startMailServer } from '../../../testing/mail-server.ts'
import { createLog } from '../../base/logging.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { endHeartbeat, startHeartbeat } from '../../work/heartbeat-store.ts'
import { dailyNotice } from '../notice.ts'
import { insertNotifications } from '../notification-store.ts'
import { Notifier } from '../notifier.ts'
import { putMuted } from './mail-preference-store.ts'
import { sweepMails } from './mail-preferences.ts'
import { MailSender } from './mail-sender.ts'
import { queueMail } from './queue-mail.ts'
import { configuredMailServer, type MailServer } from './smtp.ts'

const { db } = await createTestDatabase()
const server = await startMailServer()
afterAll(() => server.close())

let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
const log = createLog('test', 'silent')
const origin = { baseUrl: 'https://jobs.sandbox.test', consoleUrl: 'https://console.sandbox.test' }
const sinks = [queueMail({ clock, origin })]
const notifier = new Notifier(db, sinks)
const reached = configuredMailServer(server.settings) as MailServer
const newSender = () => new MailSender({ db, clock, log, worker: 'w', server: reached })
let sender: MailSender
let tenant: Tenant
let task: RunnableTask
let address: string
let people = 0

/** Times of e-mails are of the clock of the database. */
async function pass(ms: number): Promise<void> {
  aheadMs += ms
  const ago = sql`${ms} * interval '1 millisecond'`
  await sql`update mail_deliveries set due_at = due_at - ${ago}, give_up_at = give_up_at - ${ago}, attempted_at = attempted_at - ${ago}
    where company_id = ${tenant.companyId}`.execute(db)
}

async function giveAddress({ companyId, member }: Tenant): Promise<string> {
  people += 1
  const email = `person-${people}@people.test`
  await db
    .updateTable('users')
    .set({ email })
    .where('id', '=', member.principalId)
    .where('company_id', '=', companyId)
    .execute()
  return email
}

beforeEach(async () => {
  await db.deleteFrom('mail_deliveries').execute()
  server.mails.length = 0
  server.attempts.length = 0
  aheadMs = 0
  sender = newSender()
  tenant = await makeTenant(db)
  address = await giveAddress(tenant)
  task = await makeRunnableTask(db, tenant.companyId)
})

async function endRun(of = { tenant, task }): Promise<string> {
  const id = await makeRun(db, of.task, {
    chatroom_id: of.tenant.roomId,
    principal_id: of.tenant.member.principalId,
  })
  await cancelRun(db, { id, company_id: of.tenant.companyId })
  return id
}
async function happen(times = 1, of = { tenant, task }): Promise<string> {
  let id = ''
  for (let each = 0; each < times; each += 1) id = await endRun(of)
  await notifier.notifyAll()
  return id
}
const send = async () => {
  while ((await sender.attempts.claim()) > 0) await sender.attempts.idle()
}
const rows = (of = tenant) =>
  db.selectFrom('mail_deliveries').selectAll().where('company_id', '=', of.companyId).execute()

describe('an e-mail', () => {
  it('goes to the recipient of a notification, encrypted and after a login, and nobody else', async () => {
    const run = await happen()
    await send()
    expect(server.mails).toHaveLength(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({ from: 'jobs@sandbox.test', to: address, isEncrypted: true, user: 'sandbox' })
    expect(mail?.header('Subject')).toBe('Report: cancelled')
    expect(mail?.header('From')).toBe('Sandbox Jobs <jobs@sandbox.test>')
    expect(mail?.header('To')).toBe(address)
    expect(mail?.header('Auto-Submitted')).toBe('auto-generated')
    expect(mail?.header('Content-Type')).toMatch(/^text\/plain; charset=utf-8/)
    const [row] = await rows()
    expect(mail?.header('Message-ID')).toBe(`<${row?.id}@sandbox.test>`)
    expect(row).toMatchObject({ outcome: 'sent', status: 250, attempts: 1 })
    const text = mail?.raw.replaceAll('=\r\n', '')
    expect(text).toContain(`sandbox output ${run}`)
    expect(text).toContain(`https://console.sandbox.test/console/chatrooms/${tenant.roomId}/runs/${run}`)
    expect(text).toContain('sandbox mail --off run_terminal')
  })

  it('is sent once, also when notifiers work at the same time as the sender', async () => {
    for (let each = 0; each < 12; each += 1) await endRun()
    sender.attempts.start()
    await Promise.all(Array.from({ length: 4 }, () => new Notifier(db, sinks).notifyAll()))
    await eventually(() => expect(server.mails).toHaveLength(12))
    await sender.attempts.stop()
    expect(new Set(server.mails.map((mail) => mail.header('Message-ID'))).size).toBe(12)
    expect(server.mails).toHaveLength(12)
  })

  it('of a day is queued once for each person, by processes that come to them in different orders', async () => {
    const others = await Promise.all([1, 2, 3].map(() => makeTenant(db)))
    for (const other of others) await giveAddress(other)
    const queueOf = async (day: Date, of: Tenant[]) => {
      const daily = of.map(({ companyId, member }) => {
        const event = {
          id: 1,
          company_id: companyId,
          event: '',
          subject_id: member.principalId,
          count: 1,
          at: day,
        }
        return { notice: dailyNotice(event, 'run_content_expired'), userIds: [member.principalId] }
      })
      await db.transaction().execute(async (trx) => {
        await insertNotifications(trx, daily)
        for (const sink of sinks) await sink(trx, daily)
      })
    }
    for (let day = 1; day <= 20; day += 1) {
      const at = new Date(Date.UTC(2026, 0, day))
      await Promise.all([queueOf(at, others), queueOf(at, others.toReversed())])
    }
    for (const other of others) expect(await rows(other)).toHaveLength(20)
  })

  it('is not made for who has no address, wants none of the kind, or is disabled', async () => {
    const quiet = await makeTenant(db)
    await happen(1, { tenant: quiet, task: await makeRunnableTask(db, quiet.companyId) })
    const { principalId: userId, companyId } = tenant.member
    await putMuted(db, { companyId, userId }, ['run_terminal'])
    await happen()
    expect([await rows(quiet), await rows()]).toEqual([[], []])
    await putMuted(db, { companyId, userId }, ['build_ready'])
    await happen()
    await db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', userId).execute()
    await send()
    expect(server.mails).toEqual([])
    expect(await rows()).toMatchObject([{ outcome: 'dropped' }])
  })

  it('has names of tenants as text: no further header, no recipient, no link', async () => {
    await db
      .updateTable('tasks')
      .set({ name: 'A\r\nBcc: evil@evil.test\r\n\r\n<b>https://evil.test/x www.evil.test' })
      .where('id', '=', task.taskId)
      .execute()
    await happen()
    await send()
    const [mail] = server.mails
    const head = mail?.raw.slice(0, mail.raw.indexOf('\r\n\r\n')) ?? ''
    expect(head).not.toMatch(/^bcc:/im)
    expect(server.mails.map(({ to }) => to)).toEqual([address])
    expect(mail?.raw).not.toContain('https://evil')
    expect(mail?.raw).not.toContain('evil.test')
    expect(mail?.raw).toContain('evil[.]test')
  })

  it('is one of at most a hundred to a user within a day', async () => {
    const run = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      principal_id: tenant.member.principalId,
    })
    const event = { company_id: tenant.companyId, event: 'run_terminal', subject_id: run }
    const some = () =>
      db
        .insertInto('event_outbox')
        .values(Array.from({ length: mailsPerUserAndDay + 1 }, () => event))
        .execute()
    await some()
    await notifier.notifyAll()
    expect(await rows()).toHaveLength(mailsPerUserAndDay)
    aheadMs = 86_400_001
    await some()
    await notifier.notifyAll()
    expect(await rows()).toHaveLength(2 * mailsPerUserAndDay)
  })
})

describe('an e-mail that is not taken', () => {
  it('is tried again under the same Message-ID where the answer is temporary', async () => {
    server.answers[address] = [451, 200]
    await happen()
    await send()
    expect(await rows()).toMatchObject([{ outcome: null, status: 451, error: 'deferred', lane: 'retry' }])
    await send()
    expect(server.attempts).toHaveLength(1)
    await pass(6000)
    await send()
    expect(await rows()).toMatchObject([{ outcome: 'sent', attempts: 2 }])
    expect(server.mails).toHaveLength(1)
  })

  it('is tried again after its pause, also by a process whose clock is ahead', async () => {
    server.answers[address] = [451]
    await happen()
    await send()
    aheadMs = 3_600_000
    sender = newSender()
    await send()
    expect(server.attempts).toHaveLength(1)
  })

  it('ends at once where the answer is permanent', async () => {
    server.answers[address] = [550]
    await happen()
    await send()
    await pass(86_400_000)
    await send()
    expect(server.attempts).toHaveLength(1)
    expect(await rows()).toMatchObject([{ outcome: 'refused', status: 550 }])
  })

  it('ends after three days of failures', async () => {
    server.answers[address] = [450]
    await happen()
    for (let hours = 0; hours <= 84; hours += 6) {
      await send()
      await pass(6 * 3_600_000)
    }
    expect(await rows()).toMatchObject([{ outcome: 'failed', status: 450 }])
  })

  it('is sent again, recognizably, where the connection ended between its last byte and the answer', async () => {
    server.broken.add(address)
    await happen()
    await send()
    expect(await rows()).toMatchObject([{ outcome: null, lane: 'retry' }])
    await pass(6000)
    await send()
    const ids = server.mails.map((mail) => mail.header('Message-ID'))
    expect(ids).toEqual([ids[0], ids[0]])
    expect(await rows()).toMatchObject([{ outcome: 'sent' }])
  })

  it('is left to a process that is only silent: no heartbeat is renewed while the database is away', async () => {
    const worker = 'silent'
    await makeExecutor(db, '1'.repeat(32), { worker })
    await startHeartbeat(db, { executor: '1'.repeat(32), worker })
    await sql`update workers set beat_at = now() - interval '1 hour'`.execute(db)
    await happen()
    await sql`update mail_deliveries set attempts = 1, worker = ${worker}, attempted_at = now(), due_at = now() + interval '3 minutes'`.execute(
      db,
    )
    await send()
    expect(server.attempts).toEqual([])
    await endHeartbeat(db, worker)
    sender = newSender()
    await send()
    expect(server.attempts).toHaveLength(1)
  })

  it('is sent by the next process where one died during the attempt', async () => {
    await happen()
    await send()
    // Claimed, and then nothing.
    const at = clock.now()
    await db
      .updateTable('mail_deliveries')
      .set({ outcome: null, attempts: 1, attempted_at: at, due_at: new Date(at.getTime() + 180_000) })
      .execute()
    server.mails.length = 0
    await send()
    expect(server.mails).toEqual([])
    sender = newSender()
    await send()
    expect(await rows()).toMatchObject([{ outcome: 'sent', attempts: 2 }])
  })
})

it('companies whose recipients hang delay no other, and connections are few', async () => {
  for (let each = 0; each < 2; each += 1) {
    const of = await makeTenant(db)
    const hangs = await giveAddress(of)
    server.answers[hangs] = ['hang']
    await happen(4, { tenant: of, task: await makeRunnableTask(db, of.companyId) })
  }
  const { attempts } = new MailSender({ db, clock, log, worker: 'w', server: reached, firstLaneMs: 200 })
  expect(await attempts.claim()).toBe(4)
  await eventually(() => expect(server.hanging.size).toBe(4))
  await happen()
  await eventually(async () => {
    await attempts.claim()
    expect(server.mails.map(({ to }) => to)).toEqual([address])
  })
  expect(server.mostConnections()).toBeLessThanOrEqual(8)
  for (const end of server.hanging) end()
  server.hanging.clear()
  for (const key of Object.keys(server.answers)) delete server.answers[key]
  await attempts.idle()
})

it('e-mails are kept for a week after their day', async () => {
  await happen()
  expect(await sweepMails({ db, clock })).toEqual({ mails: 0 })
  aheadMs = 8 * 86_400_000
  expect(await sweepMails({ db, clock })).toEqual({ mails: 0 })
  await send()
  expect(await sweepMails({ db, clock })).toEqual({ mails: 1 })
})
