import { inputSchemaMaxBytes, scriptMaxBytes, workCommandMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { readStorageUsage } from '../../../companies/storage/kept-bytes-store.ts'
import { versionPageMaxBytes } from '../../../tasks/versions/list-task-versions.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let taskId: string
let environmentVersionId: string

beforeAll(async () => {
  tenant = await makeTenant(db)
  taskId = (await newTask()).id
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
})

const newTask = () =>
  api.tasks.create(tenant.departmentManager, { scope: 'department', id: tenant.departmentId })

const owned = (route: Route, options: { id?: string; vid?: string; body?: unknown } = {}) =>
  api.call<TaskVersion & { detail?: unknown }>(route, tenant.departmentManager, {
    params: { id: options.id ?? taskId, vid: options.vid ?? '' },
    body: options.body,
  })

const create = (fields: Record<string, unknown> = {}) =>
  owned(taskRoutes.createTaskVersion, { body: { environment_version_id: environmentVersionId, ...fields } })
const change = (vid: string, body: unknown) => owned(taskRoutes.updateTaskVersion, { vid, body })
const versionCount = async () => (await db.selectFrom('task_versions').select('id').execute()).length

const sources = {
  startup_script: 'export A=1',
  work_script: 'echo secret-of-the-owner',
  work_command: 'python3 /workspace/work.sh --fast',
  ordinary_env: { REGION: 'north', 'not a name': 'stored as given' },
  secret_slot_declarations: ['TOKEN', { name: 'OTHER' }],
  input_instructions: 'rows, please',
  input_example: '{"rows":[1]}',
  input_schema: '{"type":"object","required":["rows"]}',
  timeout_seconds: 60,
  requires_confirmation: true,
}

describe('a draft', () => {
  it('is stored as given and shown whole to its owner', async () => {
    const { status, body } = await create(sources)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...sources,
      state: 'draft',
      content_state: 'active',
      environment_version_id: environmentVersionId,
      environment_name: expect.stringMatching(/^environment /),
      secret_slot_names: ['TOKEN', 'OTHER'],
      source_visible: true,
      output_policy: null,
      published_at: null,
      update_available: false,
      canonical_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      runtime_contract: { driver: sources.work_command, invocation: expect.any(String) },
    })
    expect((await owned(taskRoutes.readTaskVersion, { vid: body.id })).body).toEqual(body)
    expect((await owned(taskRoutes.readTask)).body).toMatchObject({ current_draft_version_id: body.id })
  })

  it('has defaults, and unique numbers', async () => {
    const task = await newTask()
    const body = { environment_version_id: environmentVersionId }
    const made = await Promise.all(
      Array.from({ length: 5 }, () => owned(taskRoutes.createTaskVersion, { id: task.id, body })),
    )
    expect(made.map((answer) => answer.body.version_number).toSorted()).toEqual([1, 2, 3, 4, 5])
    expect(made[0]?.body).toMatchObject({
      startup_script: '',
      work_command: null,
      timeout_seconds: 1800,
      secret_slot_names: [],
      requires_confirmation: false,
      runtime_contract: { driver: '. /workspace/work.sh' },
    })
  })

  it('may use a curated environment, and only a ready version', async () => {
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    expect((await create({ environment_version_id: curated.id })).status).toBe(200)
    const building = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state: 'building' })
    const before = await versionCount()
    expect(await create({ environment_version_id: building.id })).toMatchObject({
      status: 409,
      body: { detail: { code: 'environment_version_not_ready' } },
    })
    const elsewhere = await makeEnvironmentVersion(db, { companyId: (await makeTenant(db)).companyId })
    const unknown = await create({ environment_version_id: newId('environmentVersion') })
    expect(unknown.status).toBe(404)
    expect(await create({ environment_version_id: elsewhere.id })).toEqual(unknown)
    expect(await versionCount()).toBe(before)
  })

  it('accepts scripts and a work command of the maximum size, counted in bytes', async () => {
    const script = 'é'.repeat(scriptMaxBytes / 2)
    expect((await create({ startup_script: script, work_script: script })).status).toBe(200)
    expect(await create({ work_script: `${script}x` })).toMatchObject({
      status: 422,
      body: { detail: { code: 'script_too_large', field: 'work_script' } },
    })
    const command = 'é'.repeat(workCommandMaxBytes / 2)
    expect((await create({ work_command: command })).status).toBe(200)
    expect(await create({ work_command: `${command}x` })).toMatchObject({
      body: { detail: { code: 'job_contract_invalid', errors: [{ loc: ['body', 'work_command'] }] } },
    })
    expect((await create({ work_script: 'a\0b' })).status).toBe(422)
  })

  it('lists a NUL in the command, the schema and the example among what is wrong with the contract of a job', async () => {
    const fields = { work_command: 'a\0b', input_schema: '{"title":"\0"}', input_example: '"\0"' }
    const before = await versionCount()
    const errors = [
      {
        type: 'nul_character',
        loc: ['body', 'work_command'],
        msg: expect.stringMatching(/^work_command .*NUL/),
      },
      {
        type: 'nul_character',
        loc: ['body', 'input_schema', 'title'],
        msg: expect.stringMatching(/^input_schema\S* .*NUL/),
      },
      {
        type: 'nul_character',
        loc: ['body', 'input_example'],
        msg: expect.stringMatching(/^input_example .*NUL/),
      },
    ]
    const refused = { status: 422, body: { detail: { code: 'job_contract_invalid', errors } } }
    expect(await create(fields)).toMatchObject(refused)
    expect(await versionCount()).toBe(before)
    const draft = (await create()).body
    expect(await change(draft.id, fields)).toMatchObject(refused)
    // In other fields it is an error of the body, which names the field.
    expect((await create({ input_instructions: 'a\0b' })).body.detail).toMatchObject([
      { type: 'nul_character', loc: ['body', 'input_instructions'] },
    ])
  })

  it('that somebody else has changed is not overwritten by who names what they read', async () => {
    const { body: draft } = await create({ work_script: 'first' })
    const save = (if_digest: string, work_script: string, as = tenant.departmentManager) =>
      api.call<TaskVersion & { detail?: { code?: string } }>(taskRoutes.updateTaskVersion, as, {
        params: { id: taskId, vid: draft.id },
        query: { if_digest },
        body: { work_script },
      })
    const saved = await save(draft.canonical_digest, 'second', tenant.companyManager)
    expect([saved.status, saved.body.work_script]).toEqual([200, 'second'])
    const refused = await save(draft.canonical_digest, 'third')
    expect([refused.status, refused.body.detail?.code]).toEqual([409, 'draft_changed'])
    expect((await save(saved.body.canonical_digest, 'fourth')).body.work_script).toBe('fourth')
    expect((await save('sha256:short', 'fifth')).status).toBe(422)
  })

  it('saved by two at once, who read the same, is that of one of them', async () => {
    const { body: draft } = await create({ work_script: 'first' })
    const answers = await Promise.all(
      ['second', 'third'].map((work_script) =>
        api.call<{ detail?: { code?: string } }>(taskRoutes.updateTaskVersion, tenant.departmentManager, {
          params: { id: taskId, vid: draft.id },
          query: { if_digest: draft.canonical_digest },
          body: { work_script },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.map(({ body }) => body.detail?.code)).toContain('draft_changed')
  })

  it.each([
    ['a schema that is no JSON', { input_schema: '{' }, ['input_schema']],
    ['a schema that is no object', { input_schema: 'true' }, ['input_schema']],
    ['a schema that is none', { input_schema: '{"type":"text"}' }, ['input_schema', 'type']],
    ['an example that is no JSON', { input_example: '{rows}' }, ['input_example']],
    [
      'an example that does not conform',
      { input_schema: sources.input_schema, input_example: '{}' },
      ['input_example', 'rows'],
    ],
    [
      'a pattern that never ends',
      { input_schema: '{"pattern":"^(?=a)(a+)+$"}', input_example: `"${'a'.repeat(50)}!"` },
      ['input_schema'],
    ],
    ['a remote reference', { input_schema: '{"$ref":"http://127.0.0.1:1/x"}' }, ['input_schema']],
    [
      'a schema past 64 KiB',
      { input_schema: `{"title":"${'é'.repeat(inputSchemaMaxBytes / 2)}"}` },
      ['input_schema'],
    ],
  ])('is refused for %s', async (_name, fields, loc) => {
    const before = await versionCount()
    // On a machine without free processors, the schema's threads may not come to an answer in time.
    const { status, body } = await eventually(async () => {
      const answer = await create(fields)
      expect(answer.status).not.toBe(503)
      return answer
    })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject({ code: 'job_contract_invalid' })
    const { errors } = body.detail as { errors: { loc: string[] }[] }
    expect(errors.length).toBeLessThanOrEqual(20)
    expect(errors.map((error) => error.loc)).toContainEqual(['body', ...loc])
    expect(await versionCount()).toBe(before)
  })

  it.each([
    ['an unknown field', { bundle_digest: 'x' }],
    ['a timeout of nothing', { timeout_seconds: 0 }],
    ['a timeout past seven days', { timeout_seconds: 604_681 }],
    ['a slot with a reserved name', { secret_slot_declarations: ['SERVICE_TOKEN'] }],
    ['a slot that is no name', { secret_slot_declarations: [{ name: 'a b' }] }],
    ['a slot named twice', { secret_slot_declarations: ['A', { name: 'A' }] }],
    ['more slots than names', { secret_slot_declarations: Array.from({ length: 101 }, (_, i) => `S${i}`) }],
    ['a script in two ways', { work_script: 'a', work_script_id: 'x' }],
    ['instructions past their bound', { input_instructions: 'x'.repeat(65_537) }],
    ['text instead of a flag', { requires_confirmation: 'yes' }],
  ])('is refused by validation for %s', async (_name, fields) => {
    const { status, body } = await create(fields)
    expect(status).toBe(422)
    expect(body.detail).toBeInstanceOf(Array)
  })

  it('changes field by field, and its digest with it', async () => {
    const { body: draft } = await create(sources)
    const renamed = await change(draft.id, { input_instructions: null, timeout_seconds: 61 })
    expect(renamed.body).toMatchObject({
      input_instructions: null,
      timeout_seconds: 61,
      work_script: sources.work_script,
    })
    expect(renamed.body.canonical_digest).not.toBe(draft.canonical_digest)
    expect(renamed.body.content_hash).toBe(draft.content_hash)
    expect((await change(draft.id, {})).body.detail).toMatchObject({ code: 'no_fields' })
    const broken = await change(draft.id, { input_schema: '{"required":["columns"]}' })
    expect(broken.body.detail).toMatchObject({ code: 'job_contract_invalid' })
    expect((await owned(taskRoutes.readTaskVersion, { vid: draft.id })).body).toEqual(renamed.body)
  })

  it('is not found under another task', async () => {
    const { body: draft } = await create()
    const { id } = await newTask()
    for (const route of [
      taskRoutes.readTaskVersion,
      taskRoutes.publishTaskVersion,
      taskRoutes.archiveTaskVersion,
    ]) {
      expect((await owned(route, { id, vid: draft.id })).status).toBe(404)
    }
  })
})

describe('publishing', () => {
  it('makes the version immutable and current, and archives nothing', async () => {
    const { id } = await newTask()
    const make = async () => {
      const body = { environment_version_id: environmentVersionId }
      return (await owned(taskRoutes.createTaskVersion, { id, body })).body.id
    }
    const publish = (vid: string) => owned(taskRoutes.publishTaskVersion, { id, vid })
    const first = await make()
    const published = await publish(first)
    expect(published.body).toMatchObject({
      state: 'published',
      published_at: expect.any(String),
      update_available: false,
    })
    expect((await owned(taskRoutes.readTask, { id })).body).toMatchObject({
      current_published_version_id: first,
      current_draft_version_id: null,
    })
    for (const again of [
      await publish(first),
      await owned(taskRoutes.updateTaskVersion, { id, vid: first, body: { work_script: 'other' } }),
    ]) {
      expect(again).toMatchObject({ status: 409, body: { detail: { code: 'illegal_transition' } } })
    }
    const second = await make()
    await publish(second)
    const old = await owned(taskRoutes.readTaskVersion, { id, vid: first })
    expect(old.body).toEqual({ ...published.body, update_available: true })
    expect((await owned(taskRoutes.readTask, { id })).body).toMatchObject({
      current_published_version_id: second,
    })
  })

  it('is refused over the ceiling and without a ready environment', async () => {
    const { body: longest } = await create({ timeout_seconds: 86_400 })
    const { body: tooLong } = await create({ timeout_seconds: 86_401 })
    expect((await owned(taskRoutes.publishTaskVersion, { vid: longest.id })).status).toBe(200)
    expect(await owned(taskRoutes.publishTaskVersion, { vid: tooLong.id })).toMatchObject({
      status: 422,
      body: { detail: { code: 'timeout_exceeds_ceiling', limit: 86_400 } },
    })
    const environment = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    const { body: draft } = await create({ environment_version_id: environment.id })
    await db
      .updateTable('environment_versions')
      .set({ security_state: 'blocked' })
      .where('id', '=', environment.id)
      .execute()
    expect((await owned(taskRoutes.publishTaskVersion, { vid: draft.id })).body.detail).toMatchObject({
      code: 'environment_version_not_ready',
    })
  })

  it('happens once for concurrent requests, and never loses to a change', async () => {
    const { body: draft } = await create({ work_script: 'one' })
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => owned(taskRoutes.publishTaskVersion, { vid: draft.id })),
      change(draft.id, { work_script: 'two' }),
    ])
    expect(answers.slice(0, 4).filter((answer) => answer.status === 200)).toHaveLength(1)
    const { body: now } = await owned(taskRoutes.readTaskVersion, { vid: draft.id })
    expect(now.state).toBe('published')
    const published = answers.slice(0, 4).find((answer) => answer.status === 200)
    expect(now.work_script).toBe(published?.body.work_script)
  })
})

describe('archiving a version', () => {
  it('ends it and makes the latest that remains current', async () => {
    const { id } = await newTask()
    const draft = { taskId: id, environmentVersionId }
    const first = await api.tasks.publish(tenant.departmentManager, draft)
    const second = await api.tasks.publish(tenant.departmentManager, draft)
    const archived = await owned(taskRoutes.archiveTaskVersion, { id, vid: second.id })
    expect(archived.body).toMatchObject({ state: 'archived', archived_at: expect.any(String) })
    expect((await owned(taskRoutes.readTask, { id })).body).toMatchObject({
      current_published_version_id: first.id,
    })
    expect((await owned(taskRoutes.archiveTaskVersion, { id, vid: second.id })).body.detail).toMatchObject({
      code: 'illegal_transition',
    })
    const ids = async (lifecycle: string) => {
      const answer = await api.call(taskRoutes.listTaskVersions, tenant.departmentManager, {
        params: { id },
        query: { lifecycle },
      })
      return answer.body.items.map((item) => item.id)
    }
    expect(await ids('active')).toEqual([first.id])
    expect(await ids('retired')).toEqual([second.id])
    expect(await ids('all')).toEqual([first.id, second.id])
  })
})

describe('the list of versions', () => {
  const page = async (id: string, token: string) => {
    const call = { params: { id }, query: { page_size: '100', page_token: token } }
    const owner = tenant.departmentManager
    const answer = await api.call(taskRoutes.listTaskVersions, owner, call)
    return { ...answer.body, ids: answer.body.items.map((item) => item.id) }
  }

  it('has pages of bounded size, however large the versions are', async () => {
    const { id } = await newTask()
    const script = 'x'.repeat(700_000)
    const draft = {
      taskId: id,
      environmentVersionId,
      fields: { startup_script: script, work_script: script },
    }
    const made: string[] = []
    for (let count = 0; count < 7; count += 1) {
      made.push((await api.tasks.draft(tenant.departmentManager, draft)).id)
    }
    const first = await page(id, '')
    expect([first.ids, first.page_size]).toEqual([made.slice(0, 5), 100])
    expect(5 * 2 * script.length).toBeLessThanOrEqual(versionPageMaxBytes)
    expect(first.items.every((item) => item.work_script === script)).toBe(true)
    const second = await page(id, first.next_page_token ?? '')
    expect([second.ids, second.next_page_token]).toEqual([made.slice(5), null])
  })

  it('shows a version that is larger than a page alone', async () => {
    const { id } = await newTask()
    const draft = { taskId: id, environmentVersionId }
    const small = await api.tasks.draft(tenant.departmentManager, draft)
    const fields = { ordinary_env: { BIG: 'x'.repeat(7_900_000) } }
    const large = await api.tasks.draft(tenant.departmentManager, { ...draft, fields })
    await owned(taskRoutes.updateTaskVersion, {
      id,
      vid: large.id,
      body: { work_script: 'x'.repeat(1_000_000) },
    })
    const last = await api.tasks.draft(tenant.departmentManager, draft)
    const first = await page(id, '')
    const second = await page(id, first.next_page_token ?? '')
    const third = await page(id, second.next_page_token ?? '')
    expect([first.ids, second.ids, third.ids]).toEqual([[small.id], [large.id], [last.id]])
  })
})

describe('a borrower', () => {
  it('reads what was published, without its sources', async () => {
    const { id } = await newTask()
    const version = await api.tasks.publish(tenant.departmentManager, {
      taskId: id,
      environmentVersionId,
      fields: sources,
    })
    const draft = await api.tasks.draft(tenant.departmentManager, { taskId: id, environmentVersionId })
    await api.tasks.share(tenant.departmentManager, { taskId: id, kind: 'chatroom', id: tenant.roomId })
    const read = (vid: string) => api.call(taskRoutes.readTaskVersion, tenant.member, { params: { id, vid } })
    const seen = await read(version.id)
    expect(seen.body).toEqual({
      ...version,
      runtime_contract: { ...version.runtime_contract, driver: '. /workspace/work.sh' },
      source_visible: false,
      startup_script: null,
      work_script: null,
      work_command: null,
      ordinary_env: null,
      secret_slot_declarations: null,
      output_policy: null,
      bundle_id: null,
    })
    expect(JSON.stringify(seen.body)).not.toContain('secret-of-the-owner')
    expect((await read(draft.id)).status).toBe(404)
    const list = await api.call(taskRoutes.listTaskVersions, tenant.member, {
      params: { id },
      query: { lifecycle: 'all' },
    })
    expect(list.body.items).toEqual([seen.body])
    const steps = [taskRoutes.publishTaskVersion, taskRoutes.archiveTaskVersion]
    for (const route of steps) {
      const answer = await api.call(route, tenant.member, { params: { id, vid: draft.id } })
      expect(answer.status).toBe(404)
    }
  })
})

describe('the storage quota', () => {
  const setLimit = (kept_bytes_limit: number) =>
    setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit })
  const kept = async () => (await readStorageUsage(db, tenant.companyId)).keptBytes

  it('counts all that an author puts into a draft', async () => {
    const before = await kept()
    const env = { A: 'x'.repeat(100_000) }
    const { body } = await create({ ordinary_env: env, secret_slot_declarations: ['y'.repeat(100)] })
    expect((await kept()) - before).toBeGreaterThan(101_000)
    await change(body.id, { ordinary_env: null })
    expect((await kept()) - before).toBeLessThan(2000)
  })

  it('refuses drafts, tasks, shares and bindings that it has no room for', async () => {
    const { body: draft } = await create()
    await setLimit((await kept()) + 100_000)
    try {
      const large = { work_script: 'x'.repeat(200_000) }
      const refused = { status: 409, body: { detail: { code: 'storage_quota_exceeded' } } }
      const versions = await versionCount()
      expect(await create(large)).toMatchObject(refused)
      expect(await change(draft.id, large)).toMatchObject(refused)
      expect(await versionCount()).toBe(versions)
      expect((await create({ work_script: 'x' })).status).toBe(200)
      const shared = { target_kind: 'department', target_id: tenant.departmentId }
      await setLimit(1)
      expect(await owned(taskRoutes.createShare, { body: shared })).toMatchObject(refused)
      const task = { owner_scope: 'department', owner_id: tenant.departmentId, name: 'one more' }
      expect(await owned(taskRoutes.createTask, { body: task })).toMatchObject(refused)
    } finally {
      await setLimit(2 ** 40)
    }
  })
})
