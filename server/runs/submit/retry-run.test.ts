import { createHash, randomUUID } from 'node:crypto'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'

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

const ended = { state: 'customer_failed', terminal_at: new Date(), error_code: 'timeout' }
const source = (fields: Partial<Parameters<typeof makeRun>[2]> = {}) =>
  makeRun(db, task, { chatroom_id: tenant.roomId, timeout_seconds: 77, ...ended, ...fields })

interface Change {
  as?: Principal
  room?: string
  key?: string
  body?: unknown
  payload?: string
}

const retry = (rid: string, change: Change = {}) =>
  api.call(runRoutes.retryRun, change.as ?? tenant.member, {
    params: { cid: change.room ?? tenant.roomId, rid },
    headers: { 'idempotency-key': change.key ?? randomUUID() },
    ...(change.payload !== undefined && { payload: change.payload }),
    ...(change.body !== undefined && { body: change.body }),
  })

const inputOf = async (id: string) =>
  (await db.selectFrom('run_inputs').select('content').where('run_id', '=', id).executeTakeFirst())?.content
const runsOf = (companyId: string) =>
  db.selectFrom('runs').select('id').where('company_id', '=', companyId).execute()
const refusal = (answer: Awaited<ReturnType<typeof retry>>) => [
  answer.status,
  answer.body.detail.code ?? answer.body.detail,
]

describe('retrying a run', () => {
  it('makes a new run of the same version with the stored bytes of the input', async () => {
    const rid = await source()
    // Bytes that no canonical form has: what is repeated is not made again.
    const content = Buffer.from('{ "a": 1.0 }')
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
    await db.updateTable('run_inputs').set({ content }).where('run_id', '=', rid).execute()
    await db.updateTable('runs').set({ input_digest: digest }).where('id', '=', rid).execute()
    const answer = await retry(rid)
    expect(answer.status).toBe(200)
    const run = answer.body
    expect(run).toMatchObject({
      status: 'queued',
      retry_of_run_id: rid,
      task_version_id: task.versionId,
      timeout_seconds: 77,
      principal_id: tenant.member.principalId,
      submission_source: 'rest',
      input_digest: digest,
      error_code: '',
      terminal_at: null,
    })
    expect(run.id).not.toBe(rid)
    expect(await inputOf(run.id)).toEqual(content)
  })

  it.each(['completed', 'customer_failed', 'platform_failed', 'cancelled'])(
    'takes a %s source',
    async (state) => {
      const rid = await source({ state, error_code: '', ...(state === 'completed' && { exit_code: 0 }) })
      expect((await retry(rid)).status).toBe(200)
    },
  )

  it.each(['queued', 'starting', 'running', 'cancel_requested'])('refuses a %s source', async (state) => {
    const held = state === 'queued' ? {} : { worker: 'w', sandbox_id: 's' }
    const rid = await source({ state, terminal_at: null, error_code: '', ...held })
    expect(refusal(await retry(rid))).toEqual([409, 'retry_not_eligible'])
  })

  it('means the same by no body, an empty one, null, a null input and an empty one', async () => {
    const rid = await source()
    const answers = [
      await retry(rid, { key: 'same' }),
      await retry(rid, { key: 'same', body: {} }),
      await retry(rid, { key: 'same', payload: 'null' }),
      await retry(rid, { key: 'same', body: { input: null } }),
      await retry(rid, { key: 'same', body: { input: {} } }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  })

  it('replays the stored bytes for an empty object, which is no input of its own', async () => {
    const input_schema = JSON.stringify({ required: ['rows'] })
    task = await makeRunnableTask(db, tenant.companyId, { input_schema })
    const content = Buffer.from('{"rows":[1]}')
    const rid = await source({ input_digest: `sha256:${createHash('sha256').update(content).digest('hex')}` })
    await db.updateTable('run_inputs').set({ content }).where('run_id', '=', rid).execute()
    const answer = await retry(rid, { body: { input: {} } })
    expect(answer.status).toBe(200)
    expect(await inputOf(answer.body.id)).toEqual(content)
  })

  it('takes another input, within the rules of a submission', async () => {
    const input_schema = JSON.stringify({ type: 'object', required: ['rows'] })
    task = await makeRunnableTask(db, tenant.companyId, { input_schema })
    const rid = await source()
    const answer = await retry(rid, { body: { input: { rows: [], a: 1 } } })
    expect(answer.status).toBe(200)
    expect((await inputOf(answer.body.id))?.toString()).toBe('{"a":1,"rows":[]}')
    expect(refusal(await retry(rid, { body: { input: { a: 1 } } }))).toEqual([422, 'input_schema_violation'])
    expect(refusal(await retry(rid, { body: { input: [] } }))).toEqual([422, 'input_schema_violation'])
    const deep = `{"input":${'['.repeat(65)}${']'.repeat(65)}}`
    expect((await retry(rid, { payload: deep })).status).toBe(422)
    expect((await retry(rid, { body: { color: 'red' } })).status).toBe(422)
  })

  it('refuses when the stored input is gone or has changed, and accepts an explicit one then', async () => {
    const [gone, changed] = [await source(), await source()]
    await db.deleteFrom('run_inputs').where('run_id', '=', gone).execute()
    await db
      .updateTable('run_inputs')
      .set({ content: Buffer.from('{"x":1}') })
      .where('run_id', '=', changed)
      .execute()
    for (const rid of [gone, changed]) {
      expect(refusal(await retry(rid))).toEqual([409, 'retry_input_unavailable'])
      expect((await retry(rid, { body: { input: 1 } })).status).toBe(200)
    }
  })

  it('needs what a submission needs: the room, the share, a version that may run', async () => {
    const rid = await source()
    const foreign = await makeTenant(db)
    for (const change of [
      { as: tenant.stranger },
      { as: foreign.companyManager },
      { as: foreign.companyManager, room: foreign.roomId },
    ]) {
      expect(refusal(await retry(rid, change))).toEqual([404, 'not_found'])
    }
    expect(refusal(await retry(newId('run')))).toEqual([404, 'not_found'])
    await db.updateTable('task_versions').set({ content_state: 'scrubbed' }).execute()
    expect(refusal(await retry(rid))).toEqual([409, 'content_scrubbed_irreversible'])
    await db.updateTable('task_versions').set({ content_state: 'active', state: 'archived' }).execute()
    expect(refusal(await retry(rid))).toEqual([409, 'version_not_runnable'])
    await db
      .updateTable('share_grants')
      .set({ state: 'revoked', revoked_at: new Date() })
      .where('id', '=', task.shareGrantId)
      .execute()
    expect(refusal(await retry(rid))).toEqual([404, 'not_found'])
    expect(await runsOf(tenant.companyId)).toHaveLength(1)
  })

  it('is not for sandbox-scope keys', async () => {
    const apiKey = { id: 'key_1', scope: 'sandbox' as const, allowedChatroomIds: [tenant.roomId] }
    const answer = await retry(await source(), { as: { ...tenant.member, authMethod: 'api_key', apiKey } })
    expect(answer.status).toBe(405)
  })

  it('needs a key, repeats its first answer, and gives twins that come at once one run', async () => {
    const rid = await source()
    expect(refusal(await retry(rid, { key: ' ' }))).toEqual([422, 'idempotency_key_required'])
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(rid, { key: 'twins' })))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(await runsOf(tenant.companyId)).toHaveLength(2)
    expect(refusal(await retry(rid, { key: 'twins', body: { input: 1 } }))).toEqual([
      409,
      'idempotency_conflict',
    ])
    expect(refusal(await retry(await source(), { key: 'twins' }))).toEqual([409, 'idempotency_conflict'])
  })

  it('counts as any submission against the limits of the queue', async () => {
    const rid = await source()
    for (let count = 0; count < 19; count += 1) await makeRun(db, task, { chatroom_id: tenant.roomId })
    expect((await retry(rid)).status).toBe(200)
    const answer = await retry(rid)
    expect(refusal(answer)).toEqual([429, 'sandbox_queued_run_limit'])
    expect(answer.body.detail.limit).toBe(20)
  })
})
