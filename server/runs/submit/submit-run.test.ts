import { createHash, randomUUID } from 'node:crypto'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { storeBundle } from '../../../testing/factories/bundles.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('state', '=', 'queued')
    .execute()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

interface Change {
  as?: Principal
  room?: string
  key?: string
  payload?: string
  body?: Record<string, unknown>
}

function submit(change: Change = {}) {
  const body = { task_version_id: task.versionId, input: { b: 1, a: [true, 'x'] }, ...change.body }
  return api.call(runRoutes.submitRun, change.as ?? tenant.member, {
    params: { cid: change.room ?? tenant.roomId },
    headers: { 'idempotency-key': change.key ?? randomUUID() },
    ...(change.payload === undefined ? { body } : { payload: change.payload }),
  })
}

const runsOf = (companyId: string) =>
  db.selectFrom('runs').selectAll().where('company_id', '=', companyId).execute()

describe('submitting a run', () => {
  it('takes keys that objects inherit for keys like others, in the input and in the schema', async () => {
    const named = (value: unknown) => `{"__proto__":${value},"constructor":${value},"toString":${value}}`
    const input_schema = `{"properties":${named('{"type":"integer"}')},"required":["__proto__","toString"],"additionalProperties":false}`
    task = await makeRunnableTask(db, tenant.companyId, { input_schema })
    const send = (input: string) =>
      submit({ payload: `{"task_version_id":"${task.versionId}","input":${input}}` })
    const answer = await send(named(1))
    expect(answer.status).toBe(200)
    const { content } = await db
      .selectFrom('run_inputs')
      .select('content')
      .where('run_id', '=', answer.body.id)
      .executeTakeFirstOrThrow()
    expect(content.toString()).toBe(named(1))
    const refused = await send(named('"x"'))
    expect([refused.status, refused.body.detail.code]).toEqual([422, 'input_schema_violation'])
    const places = (refused.body.detail.errors as { loc: string[] }[]).map(({ loc }) => loc.at(-1))
    expect(places.toSorted()).toEqual(['__proto__', 'constructor', 'toString'])
    expect((await send('{}')).body.detail.code).toBe('input_schema_violation')
  })

  it('names the field that a fault of the body is in', async () => {
    const answer = await submit({
      payload: '{"task_version_id":"x","input":{"rows":[1,x]}}',
    })
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([
      { type: 'bad_syntax', loc: ['body', 'input', 'rows', 1], msg: expect.any(String) },
    ])
  })

  it.each([
    [
      'number_not_exact',
      '12345678901234567890',
      /^input\.rows\[1\] holds a whole number .*send it as a string/,
    ],
    ['number_out_of_range', '1e400', /^input\.rows\[1\] holds a number .*send it as a string/],
    ['lone_surrogate', String.raw`"\ud800"`, /^input\.rows\[1\] holds half .*send whole characters/],
  ])('is refused for an input that has no canonical form: %s', async (type, value, msg) => {
    for (const pad of ['', 'x'.repeat(40_000)]) {
      const answer = await submit({
        payload: `{"input":{"pad":"${pad}","rows":[1,${value}]},"timeout_seconds":60}`,
      })
      expect([answer.status, answer.body.detail.code]).toEqual([422, 'input_not_stageable'])
      const loc = ['body', 'input', 'rows', 1]
      expect(answer.body.detail.errors).toEqual([{ type, loc, msg: expect.stringMatching(msg) }])
    }
    const elsewhere = await submit({ payload: `{"input":{},"timeout_seconds":${value}}` })
    expect(elsewhere.body.detail).toMatchObject([{ loc: ['body', 'timeout_seconds'] }])
  })

  it('queues it with the canonical input and shows it', async () => {
    const answer = await submit()
    expect(answer.status).toBe(200)
    const canonical = '{"a":[true,"x"],"b":1}'
    const [row] = await runsOf(tenant.companyId)
    expect(answer.body).toMatchObject({
      id: row?.id,
      status: 'queued',
      task_id: task.taskId,
      task_version_id: task.versionId,
      chatroom_id: tenant.roomId,
      resource_profile: 'standard',
      timeout_seconds: 1800,
      submission_source: 'rest',
      principal_id: tenant.member.principalId,
      wait_reason: 'awaiting_dispatch',
      queue_position: 1,
      eta_seconds: null,
      exit_code: null,
      error_code: '',
      terminal_at: null,
      input_digest: `sha256:${createHash('sha256').update(canonical).digest('hex')}`,
    })
    const input = await db
      .selectFrom('run_inputs')
      .selectAll()
      .where('run_id', '=', row?.id ?? '')
      .executeTakeFirst()
    expect(input?.content.toString()).toBe(canonical)
    const events = await db
      .selectFrom('state_events')
      .selectAll()
      .where('entity_id', '=', row?.id ?? '')
      .execute()
    expect(events).toMatchObject([{ from_state: '', to_state: 'queued', company_id: tenant.companyId }])
  })

  it('takes the timeout of the request, and any JSON as input', async () => {
    expect((await submit({ body: { timeout_seconds: 7 } })).body).toMatchObject({ timeout_seconds: 7 })
    for (const input of [null, 0, '', [], false]) {
      expect((await submit({ body: { input } })).status).toBe(200)
    }
  })

  it('needs membership of the room or its management', async () => {
    for (const as of [tenant.member, tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await submit({ as })).status).toBe(200)
    }
    const foreign = await makeTenant(db)
    for (const change of [
      { as: tenant.stranger },
      { as: foreign.companyManager },
      { room: foreign.roomId },
    ]) {
      const answer = await submit(change)
      expect([answer.status, answer.body.detail.code]).toEqual([404, 'not_found'])
    }
  })

  it('hides versions that are not shared to the room, and refuses those that cannot run', async () => {
    const foreign = await makeRunnableTask(db, (await makeTenant(db)).companyId)
    expect((await submit({ body: { task_version_id: foreign.versionId } })).status).toBe(404)
    const unshared = await makeRunnableTask(db, tenant.companyId)
    await db
      .updateTable('share_grants')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('id', '=', unshared.shareGrantId)
      .execute()
    expect((await submit({ body: { task_version_id: unshared.versionId } })).status).toBe(404)
    const draft = await makeRunnableTask(db, tenant.companyId, { state: 'draft', published_at: null })
    const refused = await submit({ body: { task_version_id: draft.versionId } })
    expect([refused.status, refused.body.detail.code]).toEqual([409, 'version_not_runnable'])
    const scrubbed = await makeRunnableTask(db, tenant.companyId, { content_state: 'scrubbed' })
    const gone = await submit({ body: { task_version_id: scrubbed.versionId } })
    expect([gone.status, gone.body.detail.code]).toEqual([409, 'content_scrubbed_irreversible'])
  })

  it('refuses a bundle whose runner is not approved, and no other version of that environment', async () => {
    const task = await makeRunnableTask(db, tenant.companyId)
    const unknownRunner = { state: 'archived', runner_release: null }
    const environment = db.updateTable('environment_versions').set(unknownRunner)
    await environment.where('id', '=', task.environmentVersionId).execute()
    const body = { task_version_id: task.versionId }
    expect((await submit({ body })).status).toBe(200)
    await storeBundle(db, api.storage, task, { format: 'zip', bytes: Buffer.from('any') })
    const refused = await submit({ body })
    expect([refused.status, refused.body.detail.code]).toEqual([409, 'task_bundle_runner_unsupported'])
  })

  it('checks the input against the schema of the version', async () => {
    const input_schema = JSON.stringify({ type: 'object', required: ['rows'] })
    const strict = await makeRunnableTask(db, tenant.companyId, { input_schema })
    const refused = await submit({ body: { task_version_id: strict.versionId } })
    expect([refused.status, refused.body.detail.code]).toEqual([422, 'input_schema_violation'])
    const body = { task_version_id: strict.versionId, input: { rows: [] } }
    expect((await submit({ body })).status).toBe(200)
  })

  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const withInput = (input: string) => `{"task_version_id":"${task.versionId}","input":${input}}`

  it('keeps the bounds of the input, at and past their edge', async () => {
    const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    const accepted = [nested(64), text(1024 * 1024), `[${Array(99_999).fill(0).join()}]`]
    for (const input of accepted) {
      expect((await submit({ payload: withInput(input) })).status).toBe(200)
    }
    const count = (await runsOf(tenant.companyId)).length
    const refused = [
      nested(65),
      text(1024 * 1024 + 1),
      `[${Array(100_000).fill(0).join()}]`,
      '{"a":1,"a":2}',
      '"\\u0000"',
    ]
    for (const input of refused) {
      const answer = await submit({ payload: withInput(input) })
      expect(answer.status).toBe(422)
      expect(answer.body.detail).toEqual([expect.objectContaining({ loc: expect.arrayContaining(['body']) })])
    }
    expect(await runsOf(tenant.companyId)).toHaveLength(count)
  })

  it('refuses a body over its bound by its length alone', async () => {
    const answer = await submit({ payload: withInput(`"${'x'.repeat(1024 * 1024 + 64 * 1024)}"`) })
    expect([answer.status, answer.body.detail.code]).toEqual([413, 'request_too_large'])
  })

  it.each([
    ['an unknown field', { color: 'red' }],
    ['no input', { input: undefined }],
    ['a timeout of zero', { timeout_seconds: 0 }],
    ['a timeout past seven days', { timeout_seconds: 604_681 }],
    ['a version id with a slash', { task_version_id: 'a/b' }],
  ])('refuses %s', async (_name, body) => {
    expect((await submit({ body })).status).toBe(422)
  })
})

describe('the idempotency key', () => {
  it('is required', async () => {
    const answer = await submit({ key: '  ' })
    expect([answer.status, answer.body.detail.code]).toEqual([422, 'idempotency_key_required'])
  })

  it('gives fifty twins that come at once one run and one answer', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit({ key: 'twins' })))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(await runsOf(tenant.companyId)).toHaveLength(1)
  })

  it('repeats the first answer although the share has ended since', async () => {
    const first = await submit({ key: 'again' })
    await db
      .updateTable('share_grants')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('id', '=', task.shareGrantId)
      .execute()
    expect((await submit({ key: 'again' })).text).toBe(first.text)
  })

  it('repeats it to the letter whatever has become of the run', async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `letter-${n}`)
    const firsts = await Promise.all(keys.map((key) => submit({ key })))
    await db
      .updateTable('runs')
      .set({
        ...{ state: 'platform_failed', error_code: 'reconcile', failure_stage: 'running', exit_code: 1 },
        ...{ measured_egress_bytes: 7, claimed_at: new Date(), terminal_at: new Date() },
      })
      .where('company_id', '=', tenant.companyId)
      .execute()
    const again = await Promise.all(keys.map((key) => submit({ key })))
    expect(again.map(({ text }) => text)).toEqual(firsts.map(({ text }) => text))
    expect(firsts.map((answer) => answer.body.queue_position)).toContain(12)
  })

  it('sees equal values in other spellings as one request, and other values as a conflict', async () => {
    const first = await submit({ key: 'k' })
    const spelt = `{ "input": {"a":[true,"\\u0078"], "b":1.0}, "task_version_id": "${task.versionId}" }`
    expect((await submit({ key: 'k', payload: spelt })).text).toBe(first.text)
    for (const body of [{ input: {} }, { timeout_seconds: 9 }, { task_version_id: 'tvr_other' }]) {
      const answer = await submit({ key: 'k', body })
      expect([answer.status, answer.body.detail.code]).toEqual([409, 'idempotency_conflict'])
    }
    expect(await runsOf(tenant.companyId)).toHaveLength(1)
  })

  it('belongs to the caller', async () => {
    await submit({ key: 'mine' })
    expect((await submit({ key: 'mine', as: tenant.roomManager, body: { input: 2 } })).status).toBe(200)
  })

  it('stays free when the submission was refused', async () => {
    for (let count = 0; count < 20; count += 1) await makeRun(db, task, { chatroom_id: tenant.roomId })
    expect((await submit({ key: 'full' })).status).toBe(429)
    await db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).execute()
    expect((await submit({ key: 'full' })).status).toBe(200)
  })
})

describe('the limits of the queue', () => {
  it('lets a company queue twenty runs, exactly, even when they come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => submit()))
    const refused = answers.filter((answer) => answer.status !== 200)
    expect(refused).toHaveLength(10)
    for (const answer of refused) {
      expect(answer.status).toBe(429)
      expect(answer.body.detail).toMatchObject({ code: 'sandbox_queued_run_limit', limit: 20 })
    }
    expect(await runsOf(tenant.companyId)).toHaveLength(20)
  })

  it('lets the deployment queue two hundred', async () => {
    const others = await makeTenant(db)
    const othersTask = await makeRunnableTask(db, others.companyId)
    for (let count = 0; count < 199; count += 1) await makeRun(db, othersTask, { chatroom_id: others.roomId })
    expect((await submit()).status).toBe(200)
    const answer = await submit()
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60'])
    expect(answer.body.detail).toMatchObject({ code: 'queue_full', limit: 200, retry_after_seconds: 60 })
  })
})
