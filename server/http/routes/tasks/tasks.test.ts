import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import {
  makeDepartment,
  makeRoom,
  makeTenant,
  makeUser,
  type Tenant,
} from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'
import { archiveTask } from '../../../tasks/catalogue/task-service.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let other: Tenant
let foreignManager: Principal

beforeAll(async () => {
  tenant = await makeTenant(db)
  other = await makeTenant(db)
  foreignManager = await makeUser(db, {
    companyId: tenant.companyId,
    role: 2,
    managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
  })
})

const departmentTask = () =>
  api.tasks.create(tenant.departmentManager, { scope: 'department', id: tenant.departmentId })
const companyTask = () => api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })
const taskCount = async () => (await db.selectFrom('tasks').select('id').execute()).length

describe('creating a task', () => {
  it('makes a department or the company its owner', async () => {
    expect(await departmentTask()).toEqual({
      id: expect.stringMatching(/^tsk_[0-9a-f]{32}$/),
      company_id: tenant.companyId,
      owner_scope: 'department',
      owner_id: tenant.departmentId,
      name: 'Report',
      description: '',
      agent_enabled: false,
      state: 'active',
      security_state: 'clear',
      current_published_version_id: null,
      current_draft_version_id: null,
    })
    expect((await companyTask()).owner_scope).toBe('company')
  })

  it('makes one task for a key, however often it is sent', async () => {
    const body = { name: 'once', owner_scope: 'company', owner_id: tenant.companyId }
    const headers = { 'idempotency-key': 'of one task' }
    const create = (request: object) =>
      api.call(taskRoutes.createTask, tenant.companyManager, { body: request, headers })
    const before = await taskCount()
    const answers = await Promise.all([create(body), create(body), create(body)])
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1)
    expect(await taskCount()).toBe(before + 1)
    const other = await create({ ...body, name: 'another' })
    expect([other.status, other.body]).toMatchObject([409, { detail: { code: 'idempotency_conflict' } }])
    const empty = { body, headers: { 'idempotency-key': ' ' } }
    expect((await api.call(taskRoutes.createTask, tenant.companyManager, empty)).status).toBe(422)
    expect(await taskCount()).toBe(before + 1)
  })

  it('refuses a scope that the caller cannot own, and stores nothing', async () => {
    const department = { owner_scope: 'department', owner_id: tenant.departmentId }
    const company = { owner_scope: 'company', owner_id: tenant.companyId }
    const cases: [Principal, Record<string, string>][] = [
      [tenant.member, department],
      [tenant.roomManager, department],
      [foreignManager, department],
      [tenant.departmentManager, company],
      [tenant.companyManager, { owner_scope: 'company', owner_id: other.companyId }],
      [tenant.companyManager, { owner_scope: 'department', owner_id: other.departmentId }],
      [tenant.companyManager, { owner_scope: 'department', owner_id: newId('department') }],
    ]
    const before = await taskCount()
    for (const [principal, owner] of cases) {
      const body = { name: 'x', ...owner }
      const answer = await api.call(taskRoutes.createTask, principal, { body })
      expect([answer.status, answer.body.detail]).toMatchObject([403, { code: 'owner_scope_forbidden' }])
    }
    expect(await taskCount()).toBe(before)
  })

  it.each([
    ['a chatroom as owner', { owner_scope: 'chatroom' }],
    ['an unknown field', { color: 'red' }],
    ['a blank name', { name: ' \t' }],
    ['a name past 256 characters', { name: 'x'.repeat(257) }],
    ['a description past 2048 characters', { description: 'x'.repeat(2049) }],
    ['an owner id with a slash', { owner_id: 'a/b' }],
    ['no name', { name: undefined }],
  ])('refuses %s with the validation array', async (_name, change) => {
    const body = { name: 'x', owner_scope: 'company', owner_id: tenant.companyId, ...change }
    const answer = await api.call(taskRoutes.createTask, tenant.companyManager, { body })
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: expect.arrayContaining(['body']) })])
  })

  it('refuses sandbox-scope keys', async () => {
    const key: Principal = {
      ...tenant.companyManager,
      authMethod: 'api_key',
      apiKey: { id: newId('apiKey'), scope: 'sandbox', allowedChatroomIds: [tenant.roomId] },
    }
    expect((await api.call(taskRoutes.listTasks, key)).status).toBe(403)
  })
})

describe('seeing a task', () => {
  it('hides it from everyone else with the same response', async () => {
    const task = await departmentTask()
    const params = { id: task.id }
    const unknown = await api.call(taskRoutes.readTask, tenant.member, { params: { id: newId('task') } })
    expect(unknown).toMatchObject({ status: 404, body: { detail: { code: 'not_found' } } })
    for (const principal of [tenant.member, tenant.stranger, foreignManager, other.companyManager]) {
      expect(await api.call(taskRoutes.readTask, principal, { params })).toEqual(unknown)
      expect(await api.call(taskRoutes.listTaskVersions, principal, { params })).toEqual(unknown)
      expect(await api.call(taskRoutes.listShares, principal, { params })).toEqual(unknown)
      expect(await api.call(taskRoutes.updateTask, principal, { params, body: { name: 'y' } })).toEqual(
        unknown,
      )
      expect(await api.call(taskRoutes.archiveTask, principal, { params })).toEqual(unknown)
    }
  })

  it('shows it to members of a room that it is shared with, and not through an ended share', async () => {
    const task = await departmentTask()
    const params = { id: task.id }
    const share = await api.tasks.share(tenant.departmentManager, {
      taskId: task.id,
      kind: 'chatroom',
      id: tenant.roomId,
    })
    expect((await api.call(taskRoutes.readTask, tenant.member, { params })).status).toBe(200)
    expect((await api.call(taskRoutes.readTask, tenant.stranger, { params })).status).toBe(404)
    const update = { params, body: { name: 'taken' } }
    expect((await api.call(taskRoutes.updateTask, tenant.member, update)).status).toBe(404)
    await api.call(taskRoutes.revokeShare, tenant.departmentManager, {
      params: { ...params, gid: share.id },
    })
    expect((await api.call(taskRoutes.readTask, tenant.member, { params })).status).toBe(404)
  })

  it('lists what each caller may see, page by page', async () => {
    const company = await makeTenant(db)
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) {
      const owner = { scope: 'department', id: company.departmentId }
      ids.push((await api.tasks.create(company.departmentManager, owner)).id)
    }
    const shared = await api.tasks.create(company.companyManager, {
      scope: 'company',
      id: company.companyId,
    })
    await api.tasks.share(company.companyManager, {
      taskId: shared.id,
      kind: 'department',
      id: company.departmentId,
    })
    await api.call(taskRoutes.archiveTask, company.departmentManager, { params: { id: ids[0] ?? '' } })

    const live = [ids[1] ?? '', ids[2] ?? '', shared.id].toSorted()
    const idsSeenBy = async (principal: Principal, query: Record<string, string> = {}) => {
      const answer = await api.call(taskRoutes.listTasks, principal, { query })
      return { ids: answer.body.items.map((item) => item.id), next: answer.body.next_page_token }
    }
    expect((await idsSeenBy(company.companyManager)).ids).toEqual(live)
    expect((await idsSeenBy(company.departmentManager)).ids).toEqual(live)
    expect((await idsSeenBy(company.member)).ids).toEqual([shared.id])
    expect((await idsSeenBy(company.stranger)).ids).toEqual([])
    expect((await idsSeenBy(company.companyManager, { lifecycle: 'retired' })).ids).toEqual([ids[0]])
    expect((await idsSeenBy(company.companyManager, { lifecycle: 'all' })).ids).toHaveLength(4)

    const first = await idsSeenBy(company.companyManager, { page_size: '2' })
    expect(first.ids).toEqual(live.slice(0, 2))
    const second = await idsSeenBy(company.companyManager, { page_size: '2', page_token: first.next ?? '' })
    expect(second).toEqual({ ids: live.slice(2), next: null })
    const malformed = await idsSeenBy(company.companyManager, { page_size: '2', page_token: 'x.y' })
    expect(malformed.ids).toEqual(first.ids)
    for (const page_size of ['0', '101', 'ten']) {
      const answer = await api.call(taskRoutes.listTasks, company.member, { query: { page_size } })
      expect(answer.status).toBe(422)
    }
  })
})

describe('changing a task', () => {
  it('takes any of its three fields and at least one', async () => {
    const { id } = await departmentTask()
    const update = (body: unknown) =>
      api.call(taskRoutes.updateTask, tenant.departmentManager, { params: { id }, body })
    expect((await update({ name: 'New', agent_enabled: true })).body).toMatchObject({
      name: 'New',
      agent_enabled: true,
    })
    expect((await update({ description: '' })).status).toBe(200)
    expect((await update({})).body).toMatchObject({ detail: { code: 'no_fields' } })
    expect((await update({ owner_id: tenant.companyId })).status).toBe(422)
  })

  it('is refused once it is archived', async () => {
    const { id } = await departmentTask()
    const options = { params: { id } }
    await api.call(taskRoutes.archiveTask, tenant.departmentManager, options)
    const answer = await api.call(taskRoutes.updateTask, tenant.departmentManager, {
      ...options,
      body: { name: 'y' },
    })
    expect(answer).toMatchObject({ status: 409, body: { detail: { code: 'task_archived' } } })
  })
})

describe('archiving a task', () => {
  it('also archives its versions, ends bindings, cancels queued runs, and keeps the share records', async () => {
    const manager = tenant.companyManager
    const { id } = await companyTask()
    const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    const version = await api.tasks.publish(manager, { taskId: id, environmentVersionId })
    await api.tasks.draft(manager, { taskId: id, environmentVersionId })
    await api.tasks.share(manager, { taskId: id, kind: 'company', id: tenant.companyId })
    const secondRoom = await makeRoom(db, tenant)
    await api.tasks.enable(tenant.roomManager, tenant.roomId, id)
    await api.tasks.enable(manager, secondRoom, id)
    const { id: run } = await api.must(runRoutes.submitRun, tenant.member, {
      params: { cid: tenant.roomId },
      headers: { 'idempotency-key': 'queued when its task is archived' },
      body: { task_version_id: version.id, input: {} },
    })

    const archived = await api.call(taskRoutes.archiveTask, manager, { params: { id } })
    expect(archived.body).toMatchObject({
      state: 'archived',
      current_published_version_id: null,
      current_draft_version_id: null,
    })
    const states = async (table: 'task_versions' | 'bindings' | 'share_grants') =>
      (await db.selectFrom(table).select('state').where('task_id', '=', id).execute()).map((row) => row.state)
    expect(await states('task_versions')).toEqual(['archived', 'archived'])
    expect(await states('bindings')).toEqual(['revoked', 'revoked'])
    expect(await states('share_grants')).toEqual(['active'])
    expect(await db.selectFrom('runs').select('state').where('id', '=', run).execute()).toEqual([
      { state: 'cancelled' },
    ])
    expect(await api.call(taskRoutes.archiveTask, manager, { params: { id } })).toMatchObject({
      status: 409,
      body: { detail: { code: 'already_archived' } },
    })
  })

  it('archives any number of versions in one statement, which nobody else waits for', async () => {
    const manager = tenant.companyManager
    const { id } = await companyTask()
    const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    for (let at = 0; at < 3; at += 1) await api.tasks.draft(manager, { taskId: id, environmentVersionId })
    await sql`create table seen_updates (at timestamptz)`.execute(db)
    await sql`create function see_update() returns trigger language plpgsql as
      'begin insert into seen_updates values (now()); return null; end'`.execute(db)
    await sql`create trigger see_update after update on task_versions for each statement execute function see_update()`.execute(
      db,
    )
    await api.call(taskRoutes.archiveTask, manager, { params: { id } })
    await sql`drop trigger see_update on task_versions`.execute(db)
    expect((await sql`select at from seen_updates`.execute(db)).rows).toHaveLength(1)
  })

  it('archives nothing when a part of it fails', async () => {
    const { id } = await companyTask()
    const cancelQueuedRunsOfTask = () => Promise.reject(new Error('no runs today'))
    const failing = archiveTask({ ...api.context, cancelQueuedRunsOfTask }, tenant.companyManager, id)
    await expect(failing).rejects.toThrow('no runs today')
    const options = { params: { id } }
    expect((await api.call(taskRoutes.readTask, tenant.companyManager, options)).body.state).toBe('active')
  })
})
