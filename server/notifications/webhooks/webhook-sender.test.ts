import { createHmac } from 'node:crypto'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedKeys } from '../../../testing/apps/fixed-keys.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { startHookServer } from '../../../testing/hook-server.ts'
import { reachableBy } from '../../base/guarded-requests/reachable-addresses.ts'
import { createLog } from '../../base/logging.ts'
import { PageTokens } from '../../base/page.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'
import { LocalKeys, secretKeysFolder } from '../../secrets/keys/local-keys.ts'
import { keyRing } from '../../secrets/keys/wrapping-keys.ts'
import { rotateSecretKeys } from '../../secrets/rotate-keys.ts'
import { type NoticeSink, Notifier } from '../notifier.ts'
import { sweepDeliveries } from './deliveries.ts'
import { queueDeliveries } from './queue-deliveries.ts'
import { WebhookSender } from './webhook-sender.ts'
import { rotateWebhookSecret } from './webhooks.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const keys = new LocalKeys(secretKeysFolder(api.dataDir))
keys.prepare()
const server = await startHookServer()
afterAll(() => server.close())

let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
const log = createLog('test', 'silent')
const notifier = new Notifier(db, [queueDeliveries])
const isReachable = reachableBy(['127.0.0.1/32'])
const post = { isReachable, resolve: async () => ['127.0.0.1'], timeoutMs: 2000, ca: server.ca }
const newSender = () => new WebhookSender({ db, clock, log, worker: 'w', keys, post })
let sender = newSender()
let tenant: Tenant
let task: RunnableTask

/** Times of deliveries are of the clock of the database. */
async function pass(ms: number): Promise<void> {
  aheadMs += ms
  const ago = sql`${ms} * interval '1 millisecond'`
  await sql`update webhook_deliveries set due_at = due_at - ${ago}, give_up_at = give_up_at - ${ago}, attempted_at = attempted_at - ${ago}
    where company_id = ${tenant.companyId}`.execute(db)
}

beforeEach(async () => {
  await db.deleteFrom('webhooks').execute()
  server.posts.length = 0
  aheadMs = 0
  sender = newSender()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const create = (path: string, of = tenant, body: Record<string, unknown> = {}) =>
  api.must(allRoutes.createWebhook, of.companyManager, { body: { url: server.url(path), ...body } })
async function happen(times = 1, of = { tenant, task }): Promise<void> {
  for (let each = 0; each < times; each += 1) {
    const id = await makeRun(db, of.task, { chatroom_id: of.tenant.roomId })
    await cancelRun(db, { id, company_id: of.tenant.companyId })
  }
  await notifier.notifyAll()
}
const send = async () => {
  while ((await sender.attempts.claim()) > 0) await sender.attempts.idle()
}
const deliveries = async (wid: string, of = tenant) =>
  (await api.must(allRoutes.listWebhookDeliveries, of.companyManager, { params: { wid } })).items
const read = (wid: string) => api.must(allRoutes.readWebhook, tenant.companyManager, { params: { wid } })
const signature = (secret: string, { headers, body }: (typeof server.posts)[number]) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`)
    .digest('base64')}`

describe('a webhook', () => {
  it('gets an event of its company, signed as Standard Webhooks says', async () => {
    const { id, secret } = await create('/ok')
    await create('/other', await makeTenant(db))
    await create('/builds', tenant, { events: ['build_ready'] })
    await happen()
    await send()
    expect(server.posts.map(({ path }) => path)).toEqual(['/ok'])
    const [received] = server.posts
    if (!received) throw new Error('nothing was posted')
    expect(received.headers['webhook-signature']).toBe(signature(secret, received))
    expect(Math.abs(Number(received.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    expect(JSON.parse(received.body)).toMatchObject({
      type: 'run_terminal',
      timestamp: expect.any(String),
      data: { company_id: tenant.companyId, subject_type: 'run', run: { state: 'cancelled' } },
    })
    expect(await deliveries(id)).toMatchObject([
      {
        event_id: received.headers['webhook-id'],
        state: 'delivered',
        attempts: 1,
        last_status: 204,
        last_error: null,
      },
    ])
  })

  it('has signatures of both secrets for a day after a rotation, and its secret opens under the next key', async () => {
    const { id, secret } = await create('/ok')
    const next = await api.must(allRoutes.rotateWebhookSecret, tenant.companyManager, { params: { wid: id } })
    await rotateSecretKeys({ db, keys, makeKey: () => keys.rotate() }, () => undefined)
    for (const number of keys.numbers().slice(1)) keys.remove(number)
    await happen()
    await send()
    aheadMs = 25 * 3_600_000
    await happen()
    await send()
    const [during, after] = server.posts
    if (!during || !after) throw new Error('not posted twice')
    expect(during.headers['webhook-signature']).toBe(
      `${signature(next.secret, during)} ${signature(secret, during)}`,
    )
    expect(after.headers['webhook-signature']).toBe(signature(next.secret, after))
  })

  it('does not end the round of all companies when it is deleted meanwhile', async () => {
    const { id } = await create('/ok')
    let deleting: Promise<unknown> | undefined
    const at = new Date()
    at.toISOString = () => {
      deleting ??= api.must(allRoutes.deleteWebhook, tenant.companyManager, { params: { wid: id } })
      return ''
    }
    const queueMeanwhile: NoticeSink = (trx, addressed) =>
      queueDeliveries(
        trx,
        addressed.map(({ notice, userIds }) => ({ notice: { ...notice, at }, userIds })),
      )
    const run = await makeRun(db, task, { chatroom_id: tenant.roomId })
    await cancelRun(db, { id: run, company_id: tenant.companyId })
    expect(await new Notifier(db, [queueMeanwhile]).notifyAll()).toBe(1)
    await deleting
  })

  it('keeps an address that it gets while its secret is rotated', async () => {
    const { id } = await create('/former')
    const url = server.url('/next')
    const { companyManager } = tenant
    const wrap: LocalKeys['wrap'] = async (...of) => {
      await api.must(allRoutes.updateWebhook, companyManager, { params: { wid: id }, body: { url } })
      return keys.wrap(...of)
    }
    const wrappingKeys = { ...keyRing(keys), wrap }
    const rotated = await rotateWebhookSecret(
      {
        db,
        clock,
        log,
        wrappingKeys,
        isReachable,
        acceptsHttp: false,
        pages: new PageTokens(fixedKeys(Buffer.alloc(32))),
      },
      companyManager,
      id,
    )
    expect([rotated.url, (await read(id)).url]).toEqual([url, url])
  })

  it('never has its secret in the database or in a later answer', async () => {
    const { id, secret } = await create('/ok')
    expect(
      JSON.stringify([await read(id), await api.must(allRoutes.listWebhooks, tenant.companyManager)]),
    ).not.toContain('whsec')
    const stored = await db
      .selectFrom('webhook_secrets')
      .selectAll()
      .where('company_id', '=', tenant.companyId)
      .execute()
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    for (const row of stored)
      for (const column of [row.wrapped_key, row.iv, row.ciphertext])
        expect(column.includes(bytes)).toBe(false)
  })

  it.each([
    'http://hooks.test/',
    'https://127.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://2130706433/',
    'https://user:pass@hooks.test/',
    'https://hooks.test/#a',
    'https://localhost/',
    'https://localhost./',
    'https://LocalHost/',
    'https://db.localhost./',
    'https://127.0.0.1./',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://[fe80::1%25eth0]/',
    'https://[::ffff:127.0.0.1]/',
    'https://hooks.test../',
    'https://.hooks.test/',
    'https://./',
    'ftp://hooks.test/',
    'https://',
  ])('is not made for %s', async (url) => {
    const answer = await api.call(allRoutes.createWebhook, tenant.companyManager, { body: { url } })
    expect(answer.status).toBe(422)
    expect(await api.must(allRoutes.listWebhooks, tenant.companyManager)).toMatchObject({ items: [] })
  })
})

describe('a webhook that fails', () => {
  it('is tried again with growing pauses under the same id, until it answers', async () => {
    let answers = 0
    server.answers['/fails'] = (response) => {
      answers += 1
      response.writeHead(answers < 3 ? 500 : 200).end()
    }
    const { id } = await create('/fails')
    await happen()
    await send()
    await send()
    expect(server.posts).toHaveLength(1)
    expect(await deliveries(id)).toMatchObject([{ state: 'waiting', last_status: 500, last_error: 'status' }])
    expect((await read(id)).failing_since).not.toBeNull()
    await pass(6000)
    await send()
    expect(server.posts).toHaveLength(2)
    await pass(6000)
    await send()
    expect(server.posts).toHaveLength(2)
    await pass(48_000)
    await send()
    expect(new Set(server.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 3 }])
    expect((await read(id)).failing_since).toBeNull()
  })

  it('is paused after three days, ends what waits, and gets what is delivered again once it is resumed', async () => {
    server.answers['/dead'] = (response) => response.writeHead(503).end()
    const { id } = await create('/dead')
    await happen(2)
    for (let hours = 0; hours <= 84; hours += 6) {
      await send()
      await pass(6 * 3_600_000)
    }
    expect(await read(id)).toMatchObject({ paused_because: 'failing' })
    const failed = await deliveries(id)
    expect(failed.map(({ state }) => state)).toEqual(['failed', 'failed'])
    await happen()
    expect(await deliveries(id)).toHaveLength(2)
    delete server.answers['/dead']
    const params = { wid: id }
    await api.must(allRoutes.updateWebhook, tenant.companyManager, { params, body: { paused: false } })
    const did = String(failed[0]?.id)
    await api.must(allRoutes.redeliver, tenant.companyManager, { params: { ...params, did } })
    await send()
    expect(await deliveries(id)).toMatchObject([
      { id: did, state: 'delivered', attempts: 1 },
      { state: 'failed' },
    ])
  })

  it('gets a test whatever its events are, one at a time', async () => {
    const { id, secret } = await create('/ok', tenant, { events: ['build_ready'] })
    const params = { wid: id }
    const test = () => api.must(allRoutes.testWebhook, tenant.companyManager, { params })
    const [first, second] = await Promise.all([test(), test()])
    expect(first).toMatchObject({ event: 'test', state: 'waiting', attempts: 0 })
    expect(second.id).toBe(first.id)
    await send()
    const [received, ...others] = server.posts
    if (!received) throw new Error('nothing was posted')
    expect(others).toEqual([])
    expect(received.headers['webhook-signature']).toBe(signature(secret, received))
    expect(JSON.parse(received.body)).toEqual({
      type: 'test',
      timestamp: expect.any(String),
      data: { company_id: tenant.companyId },
    })
    expect(await deliveries(id)).toMatchObject([{ id: first.id, state: 'delivered', last_status: 204 }])
    expect((await test()).id).not.toBe(first.id)
  })

  it('is not tested while it is paused, nor by another company', async () => {
    const { id } = await create('/ok')
    const params = { wid: id }
    const other = await makeTenant(db)
    expect((await api.call(allRoutes.testWebhook, other.companyManager, { params })).status).toBe(404)
    expect((await api.call(allRoutes.testWebhook, tenant.member, { params })).status).toBe(403)
    await api.must(allRoutes.updateWebhook, tenant.companyManager, { params, body: { paused: true } })
    const refused = await api.call(allRoutes.testWebhook, tenant.companyManager, { params })
    expect([refused.status, refused.body]).toMatchObject([409, { detail: { code: 'webhook_paused' } }])
    expect(await deliveries(id)).toEqual([])
  })

  it('that is gone is paused at once', async () => {
    server.answers['/gone'] = (response) => response.writeHead(410).end()
    const { id } = await create('/gone')
    await happen()
    await send()
    expect(await read(id)).toMatchObject({ paused_because: 'gone' })
  })

  it('loses events beyond a thousand that wait, and says how many', async () => {
    const { id } = await create('/ok')
    const event = {
      company_id: tenant.companyId,
      event: 'run_terminal',
      subject_id: await makeRun(db, task, { chatroom_id: tenant.roomId }),
    }
    for (let each = 0; each < 3; each += 1)
      await db
        .insertInto('event_outbox')
        .values(Array.from({ length: 400 }, () => event))
        .execute()
    await notifier.notifyAll()
    expect((await read(id)).dropped).toBe(200)
  })
})

describe('companies whose webhooks hang', () => {
  it('delay no other: it gets its event while all of them still hang', async () => {
    const hanging = new Set<() => void>()
    server.answers['/hang'] = (response) => void hanging.add(() => response.writeHead(200).end())
    for (let each = 0; each < 3; each += 1) {
      const of = await makeTenant(db)
      for (let hook = 0; hook < 5; hook += 1) await create('/hang', of)
      await happen(2, { tenant: of, task: await makeRunnableTask(db, of.companyId) })
    }
    const patient = new WebhookSender({
      db,
      clock,
      log,
      worker: 'w',
      keys,
      post: { ...post, timeoutMs: 60_000 },
    })
    await patient.attempts.claim()
    await eventually(() => expect(hanging.size).toBe(9))
    const { id } = await create('/ok')
    await happen()
    await patient.attempts.claim()
    await eventually(async () => expect((await deliveries(id))[0]?.state).toBe('delivered'))
    expect(hanging.size).toBe(9)
    for (const end of hanging) end()
    await patient.attempts.idle()
  })

  it('delay no other for long where they fill all places: theirs move to the lane of slow ones', async () => {
    const hanging = new Set<() => void>()
    server.answers['/hang'] = (response) => void hanging.add(() => response.writeHead(200).end())
    for (let each = 0; each < 2; each += 1) {
      const of = await makeTenant(db)
      for (let hook = 0; hook < 3; hook += 1) await create('/hang', of)
      await happen(1, { tenant: of, task: await makeRunnableTask(db, of.companyId) })
    }
    const options = {
      db,
      clock,
      log,
      worker: 'w',
      keys,
      post: { ...post, timeoutMs: 60_000 },
      firstLaneMs: 200,
    }
    const places = { first: { all: 6, ofCompany: 3 }, retry: { all: 6, ofCompany: 3 } }
    const { attempts } = new WebhookSender({ ...options, places })
    expect(await attempts.claim()).toBe(6)
    const { id } = await create('/ok')
    await happen()
    expect(await attempts.claim()).toBe(0)
    await eventually(() => attempts.claim().then((started) => expect(started).toBe(1)))
    await eventually(async () => expect((await deliveries(id))[0]?.state).toBe('delivered'))
    await eventually(() => expect(hanging.size).toBe(6))
    for (const end of hanging) end()
    await attempts.idle()
  })

  it('that answer after a while have their next events in the lane of slow ones, until they answer at once', async () => {
    let end: (() => void) | undefined
    server.answers['/slow'] = (response) => {
      end = () => response.writeHead(200).end()
    }
    const slow = new WebhookSender({ db, clock, log, worker: 'w', keys, post, firstLaneMs: 50 })
    const { id } = await create('/slow')
    await happen()
    await slow.attempts.claim()
    await eventually(() => expect(end).toBeDefined())
    await new Promise((resolve) => setTimeout(resolve, 100))
    end?.()
    await slow.attempts.idle()
    const lanes = async () => {
      const rows = await db
        .selectFrom('webhook_deliveries')
        .select('lane')
        .where('webhook_id', '=', id)
        .where('company_id', '=', tenant.companyId)
        .orderBy('place')
        .execute()
      return rows.map(({ lane }) => lane)
    }
    delete server.answers['/slow']
    await happen()
    expect(await lanes()).toEqual(['first', 'retry'])
    await send()
    await happen()
    expect(await lanes()).toEqual(['first', 'retry', 'first'])
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['waiting', 'delivered', 'delivered'])
  })
})

it('a delivery whose process died during the attempt is sent again, with the same id', async () => {
  const { id } = await create('/again')
  await happen()
  // Claimed, and then nothing.
  await db
    .updateTable('webhook_deliveries')
    .set({ attempts: 1, due_at: new Date(Date.now() + 120_000) })
    .where('company_id', '=', tenant.companyId)
    .execute()
  await send()
  const posts = () => server.posts.filter(({ path }) => path === '/again')
  expect(posts()).toEqual([])
  await pass(121_000)
  await send()
  expect(await deliveries(id)).toMatchObject([
    { state: 'delivered', attempts: 2, event_id: posts()[0]?.headers['webhook-id'] },
  ])
})

it('the newest thousand deliveries of a webhook are kept', async () => {
  const { id } = await create('/ok')
  const run = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const event = { company_id: tenant.companyId, event: 'run_terminal', subject_id: run }
  for (let each = 0; each < 2; each += 1) {
    await db
      .insertInto('event_outbox')
      .values(Array.from({ length: 600 }, () => event))
      .execute()
    await notifier.notifyAll()
    await db
      .updateTable('webhook_deliveries')
      .set({ outcome: 'delivered' })
      .where('webhook_id', '=', id)
      .where('company_id', '=', tenant.companyId)
      .execute()
  }
  expect(await sweepDeliveries({ db })).toEqual({ deliveries: 200 })
})
