import { randomUUID } from 'node:crypto'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, codeOf } from '../../../testing/apps/answer.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let environmentVersionId: string

beforeEach(async () => {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('state', '=', 'queued')
    .execute()
  tenant = await makeTenant(db)
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
})

interface Change {
  as?: Principal
  room?: string
  key?: string
  body?: Record<string, unknown>
  on?: TestApi
}

const quickRun = (change: Change = {}) =>
  (change.on ?? api).call(runRoutes.quickRun, change.as ?? tenant.roomManager, {
    params: { cid: change.room ?? tenant.roomId },
    headers: { 'idempotency-key': change.key ?? randomUUID() },
    body: {
      name: 'Try it',
      environment_version_id: environmentVersionId,
      work_script: 'echo hi',
      input: { b: 1, a: 2 },
      timeout_seconds: 60,
      ...change.body,
    },
  })

const refusal = (answer: Answer) => [answer.status, codeOf(answer)]

const rowsOf = async (companyId: string) => {
  const count = async (table: 'tasks' | 'task_versions' | 'runs' | 'idempotency_keys') =>
    (await db.selectFrom(table).select('company_id').where('company_id', '=', companyId).execute()).length
  return [
    await count('tasks'),
    await count('task_versions'),
    await count('runs'),
    await count('idempotency_keys'),
  ]
}

describe('a quick run', () => {
  it('makes a hidden task, publishes its version and queues a run, in one answer', async () => {
    const answer = await quickRun({ body: { ordinary_env: { A: '1' }, startup_script: 'cd /workspace' } })
    expect(answer.status).toBe(200)
    const { task, version, run } = answer.body
    expect(task).toMatchObject({
      name: 'Try it',
      owner_scope: 'chatroom',
      owner_id: tenant.roomId,
      current_published_version_id: version.id,
      current_draft_version_id: null,
    })
    expect(version).toMatchObject({
      task_id: task.id,
      version_number: 1,
      state: 'published',
      environment_version_id: environmentVersionId,
      startup_script: 'cd /workspace',
      work_script: 'echo hi',
      ordinary_env: { A: '1' },
      timeout_seconds: 60,
      source_visible: true,
    })
    expect(run).toMatchObject({
      status: 'queued',
      submission_source: 'quick_run',
      task_id: task.id,
      task_version_id: version.id,
      timeout_seconds: 60,
      principal_id: tenant.roomManager.principalId,
    })
    const params = { cid: tenant.roomId, rid: run.id }
    const content = await api.call(runRoutes.readRunContent, tenant.member, { params })
    expect(content.body).toMatchObject({ has_input: true, state: 'missing' })
  })

  it('keeps no second copy of its scripts for a repeated key, and answers with them still', async () => {
    const body = { startup_script: `# ${'s'.repeat(100_000)}`, work_script: `# ${'w'.repeat(100_000)}` }
    const first = await quickRun({ key: 'large', body })
    expect(first.body.version).toMatchObject(body)
    expect((await quickRun({ key: 'large', body })).body).toEqual(first.body)
    const [stored] = await db
      .selectFrom('idempotency_keys')
      .select('response')
      .where('company_id', '=', tenant.companyId)
      .execute()
    expect(JSON.stringify(stored?.response).length).toBeLessThan(10_000)
  })

  it('is for managers of the room alone, whatever else is wrong with it', async () => {
    for (const as of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await quickRun({ as })).status).toBe(200)
    }
    const foreign = await makeTenant(db)
    for (const change of [
      { as: tenant.member },
      { as: tenant.stranger },
      { as: foreign.companyManager },
      { room: foreign.roomId },
      { as: tenant.member, body: { ordinary_env: { 'not a name': '' } } },
    ]) {
      expect(refusal(await quickRun(change))).toEqual([404, 'not_found'])
    }
    const apiKey = { id: 'key_1', scope: 'sandbox' as const, allowedChatroomIds: [tenant.roomId] }
    const restricted = { ...tenant.roomManager, authMethod: 'api_key' as const, apiKey }
    expect((await quickRun({ as: restricted })).status).toBe(403)
  })

  it('takes curated and own environment versions that are ready, and hides others', async () => {
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    expect((await quickRun({ body: { environment_version_id: curated.id } })).status).toBe(200)
    const others = await makeEnvironmentVersion(db, { companyId: (await makeTenant(db)).companyId })
    const unready = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state: 'building' })
    const before = await rowsOf(tenant.companyId)
    const hidden = await quickRun({ body: { environment_version_id: others.id } })
    expect(refusal(hidden)).toEqual([404, 'not_found'])
    const refused = await quickRun({ body: { environment_version_id: unready.id } })
    expect(refusal(refused)).toEqual([409, 'environment_version_not_ready'])
    expect(await rowsOf(tenant.companyId)).toEqual(before)
  })

  it('holds the ceiling of the timeout, at and past it', async () => {
    expect((await quickRun({ body: { timeout_seconds: 86_400 } })).status).toBe(200)
    const answer = await quickRun({ body: { timeout_seconds: 86_401 } })
    expect(refusal(answer)).toEqual([422, 'timeout_exceeds_ceiling'])
  })

  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`N${index}`, 'x']))
  /** As JSON, `{"A":"..."}`. */
  const ofJsonBytes = (bytes: number) => ({ A: 'x'.repeat(bytes - 8) })

  it.each([
    ['a hundred names', names(100)],
    ['64 KiB in all', ofJsonBytes(64 * 1024)],
    ['a name of 128 characters', { ['n'.repeat(128)]: '' }],
  ])('takes an ordinary_env with %s', async (_name, ordinary_env) => {
    expect((await quickRun({ body: { ordinary_env } })).status).toBe(200)
  })

  it.each([
    ['101 names', names(101)],
    ['more than 64 KiB', ofJsonBytes(64 * 1024 + 1)],
    ['a name of 129 characters', { ['n'.repeat(129)]: '' }],
    ['a name that is none', { 'a-b': '1' }],
    ['a reserved name', { SERVICE_X: '1' }],
    ['a NUL', { A: '\0' }],
    ['a number for a value', { A: 1 }],
  ])('refuses an ordinary_env with %s', async (_name, ordinary_env) => {
    const answer = await quickRun({ body: { ordinary_env } })
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: expect.arrayContaining(['body']) })])
    expect(await rowsOf(tenant.companyId)).toEqual([0, 0, 0, 0])
  })

  it.each([
    ['no input', { input: undefined }],
    ['an input too deep', { input: JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`) }],
    ['no timeout', { timeout_seconds: undefined }],
    ['a blank name', { name: ' ' }],
    ['an unknown field', { color: 'red' }],
    ['a script with NUL', { work_script: '\0' }],
  ])('refuses %s and stores nothing', async (_name, body) => {
    expect((await quickRun({ body })).status).toBe(422)
    expect(await rowsOf(tenant.companyId)).toEqual([0, 0, 0, 0])
  })

  it('takes scripts of 1 MiB beside an input of 1 MiB, and measures them in bytes', async () => {
    const script = `#${'x'.repeat(1024 * 1024 - 1)}`
    const input = 'x'.repeat(1024 * 1024 - 2)
    const body = { startup_script: script, work_script: script, input }
    expect((await quickRun({ body })).status).toBe(200)
    const wide = await quickRun({ body: { work_script: 'é'.repeat(1024 * 512 + 1) } })
    expect(refusal(wide)).toEqual([422, 'script_too_large'])
  })

  it('needs a key and makes one task for twins that come at once', async () => {
    expect(refusal(await quickRun({ key: ' ' }))).toEqual([422, 'idempotency_key_required'])
    const answers = await Promise.all(Array.from({ length: 10 }, () => quickRun({ key: 'twins' })))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(await rowsOf(tenant.companyId)).toEqual([1, 1, 1, 1])
    for (const body of [{ name: 'Other' }, { work_script: 'true' }, { input: 1 }, { timeout_seconds: 61 }]) {
      expect(refusal(await quickRun({ key: 'twins', body }))).toEqual([409, 'idempotency_conflict'])
    }
  })

  it('is in no list of tasks', async () => {
    const { task } = (await quickRun()).body
    for (const lifecycle of ['active', 'all']) {
      const list = await api.call(taskRoutes.listTasks, tenant.companyManager, { query: { lifecycle } })
      expect([list.status, list.body.items]).toEqual([200, []])
    }
    const read = await api.call(taskRoutes.readTask, tenant.companyManager, { params: { id: task.id } })
    expect(read.body).toEqual(task)
  })

  it('can be run again by managers of its room, and by nobody else', async () => {
    const { run } = (await quickRun()).body
    await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: new Date() })
      .where('id', '=', run.id)
      .execute()
    const retry = (as: Principal) =>
      api.call(runRoutes.retryRun, as, {
        params: { cid: tenant.roomId, rid: run.id },
        headers: { 'idempotency-key': randomUUID() },
      })
    expect(refusal(await retry(tenant.member))).toEqual([404, 'not_found'])
    const again = await retry(tenant.roomManager)
    expect(again.body).toMatchObject({ retry_of_run_id: run.id, input_digest: run.input_digest })
    const submit = await api.call(runRoutes.submitRun, tenant.roomManager, {
      params: { cid: tenant.roomId },
      headers: { 'idempotency-key': randomUUID() },
      body: { task_version_id: run.task_version_id, input: {} },
    })
    expect(refusal(submit)).toEqual([404, 'not_found'])
  })
})

describe('the limits of the queue, for a quick run', () => {
  const queue = async (count: number) => {
    const task = await makeRunnableTask(db, tenant.companyId)
    for (let index = 0; index < count; index += 1) await makeRun(db, task, { chatroom_id: tenant.roomId })
  }

  it('are those of the host on premises, and a refusal leaves no task', async () => {
    await queue(19)
    expect((await quickRun()).status).toBe(200)
    const before = await rowsOf(tenant.companyId)
    const answer = await quickRun()
    expect(refusal(answer)).toEqual([429, 'sandbox_queued_run_limit'])
    expect(answer.body.detail.limit).toBe(20)
    expect(await rowsOf(tenant.companyId)).toEqual(before)
  })

  it('are none on a hosted deployment, where other submissions have the policy bound', async () => {
    const hosted = new TestApi(db, { deployment: 'hosted', runSlots: 16 })
    await queue(100)
    expect((await quickRun({ on: hosted })).status).toBe(200)
    const task = await makeRunnableTask(db, tenant.companyId)
    const submit = await hosted.call(runRoutes.submitRun, tenant.member, {
      params: { cid: tenant.roomId },
      headers: { 'idempotency-key': randomUUID() },
      body: { task_version_id: task.versionId, input: {} },
    })
    expect(refusal(submit)).toEqual([429, 'sandbox_queued_run_limit'])
    expect(submit.body.detail.limit).toBe(100)
  })
})
