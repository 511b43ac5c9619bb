import type { BindingList } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import { bindingRoutes } from '@sandbox-jobs/contract/routes/binding-routes.ts'
import { managementRoutes } from '@sandbox-jobs/contract/routes/management-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import {
  addMember,
  makeDepartment,
  makeRoom,
  makeTenant,
  makeUser,
  type Tenant,
} from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask
let otherRoomId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  const departmentId = await makeDepartment(db, tenant.companyId)
  otherRoomId = await makeRoom(db, { companyId: tenant.companyId, departmentId })
})

type Query = Record<string, string | string[]>
const deleteRoom = (id: string) =>
  db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', id).execute()

describe('runs of many rooms', () => {
  const list = (principal: Principal, query: Query = {}) =>
    api.call(managementRoutes.listVisibleRuns, principal, { query })
  const ids = async (principal: Principal, query: Query = {}) =>
    (await list(principal, query)).body.items.map((run) => run.id)
  const run = (fields: Partial<Parameters<typeof makeRun>[2]> = {}, of = task) =>
    makeRun(db, of, { chatroom_id: tenant.roomId, ...fields })
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

  it('come from the rooms that the caller may read, newest first', async () => {
    const here = await run({ queued_at: at(1) })
    const there = await run({ queued_at: at(2), chatroom_id: otherRoomId })
    expect(await ids(tenant.companyManager)).toEqual([there, here])
    for (const principal of [tenant.member, tenant.roomManager, tenant.departmentManager]) {
      expect((await list(principal)).body).toMatchObject({ items: [{ id: here }], total: 1 })
    }
    expect((await list(tenant.stranger)).body).toEqual({
      items: [],
      page_size: 50,
      next_page_token: null,
      total: 0,
    })
    expect(await ids((await makeTenant(db)).companyManager)).toEqual([])
  })

  it('match the run list of the room, with the names of room and task', async () => {
    const rid = await run()
    const params = { cid: tenant.roomId, rid }
    const shown = (await api.call(runRoutes.readRun, tenant.member, { params })).body
    const { items } = (await list(tenant.member)).body
    // The wait is computed for each response.
    expect(items).toEqual([
      { ...shown, chatroom_name: tenant.roomId, task_name: 'Report', queue_position: expect.any(Number) },
    ])
  })

  it('stay visible to company managers when a room is deleted, and to nobody else', async () => {
    const id = await run()
    await deleteRoom(tenant.roomId)
    expect(await ids(tenant.companyManager)).toEqual([id])
    for (const principal of [tenant.member, tenant.roomManager, tenant.departmentManager]) {
      expect(await ids(principal)).toEqual([])
    }
  })

  it('are narrowed by each filter, and by all together', async () => {
    const other = await makeRunnableTask(db, tenant.companyId)
    const manual = await run({ queued_at: at(1) })
    const agent = await run({ queued_at: at(2), submission_source: 'agent' })
    const done = await run({
      queued_at: at(3),
      state: 'cancelled',
      terminal_at: at(4),
      chatroom_id: otherRoomId,
    })
    const elsewhere = await run({ queued_at: at(4), submission_source: 'quick_run' }, other)
    const of = (query: Query) => ids(tenant.companyManager, query)
    expect(await of({ status: 'queued' })).toEqual([elsewhere, agent, manual])
    expect(await of({ status: ['queued', 'cancelled'] })).toEqual([elsewhere, done, agent, manual])
    expect(await of({ chatroom_id: otherRoomId })).toEqual([done])
    expect(await of({ task_id: other.taskId })).toEqual([elsewhere])
    expect(await of({ method: 'agent' })).toEqual([agent])
    expect(await of({ method: 'manual' })).toEqual([elsewhere, done, manual])
    expect(await of({ queued_after: at(2).toISOString() })).toEqual([elsewhere, done, agent])
    expect(await of({ queued_before: at(2).toISOString() })).toEqual([manual])
    expect(
      await of({
        status: 'queued',
        chatroom_id: tenant.roomId,
        task_id: task.taskId,
        method: 'agent',
        queued_after: '2026-01-01T02:02:00+02:00',
        queued_before: '2026-01-01T00:02:00.001Z',
      }),
    ).toEqual([agent])
    expect((await list(tenant.companyManager, { method: 'manual', page_size: '1' })).body.total).toBe(3)
  })

  it('match nothing for a hidden room, task or company', async () => {
    const foreign = await makeTenant(db)
    await run({ chatroom_id: otherRoomId })
    for (const chatroom_id of [otherRoomId, foreign.roomId, newId('chatroom')]) {
      expect((await list(tenant.member, { chatroom_id })).body.total).toBe(0)
    }
    expect((await list(foreign.companyManager, { chatroom_id: otherRoomId })).body.total).toBe(0)
    expect((await list(tenant.companyManager, { task_id: newId('task') })).body.total).toBe(0)
  })

  it('are paged without gaps or repeats when runs were queued at the same instant', async () => {
    const all: string[] = []
    for (let n = 0; n < 7; n++) all.push(await run({ queued_at: at(1) }))
    const seen: string[] = []
    let page_token: string | undefined
    do {
      const query = { page_size: '3', ...(page_token !== undefined && { page_token }) }
      const { body } = await list(tenant.member, query)
      expect(body).toMatchObject({ page_size: 3, total: 7 })
      seen.push(...body.items.map((item) => item.id))
      page_token = body.next_page_token ?? undefined
    } while (page_token !== undefined)
    expect(seen).toEqual(all.toSorted().toReversed())
    expect(await ids(tenant.member, { page_size: '3', page_token: 'nonsense' })).toEqual(seen.slice(0, 3))
  })

  it.each([
    ['an unknown status', { status: 'sleeping' }],
    ['an unknown method', { method: 'rest' }],
    ['a page of none', { page_size: '0' }],
    ['a page of 101', { page_size: '101' }],
    ['a token of 513', { page_token: 'x'.repeat(513) }],
    ['an instant without a zone', { queued_after: '2026-01-01T00:00:00' }],
    ['an instant that no calendar has', { queued_before: '2016-12-31T23:59:60Z' }],
    ['an id with a slash', { chatroom_id: '../x' }],
  ])('refuse %s with 422', async (_name, query) => {
    const { status, body } = await list(tenant.member, query)
    expect(status).toBe(422)
    expect(body.detail).toEqual(
      [{ type: expect.any(String), loc: ['query', ...Object.keys(query)], msg: expect.any(String) }].map(
        (problem) => ({ ...problem, loc: expect.arrayContaining(['query']) }),
      ),
    )
  })

  it('accept the first and the last year of the format', async () => {
    await run()
    expect((await list(tenant.member, { queued_after: '0000-01-01T00:00:00Z' })).body.total).toBe(1)
    expect((await list(tenant.member, { queued_before: '9999-12-31T23:59:59Z' })).body.total).toBe(1)
  })

  it('are refused to a sandbox-scope key', async () => {
    const { status, body } = await list(withSandboxKey(tenant.companyManager, [tenant.roomId]))
    expect([status, typeof body.detail]).toEqual([403, 'string'])
  })
})

describe('bindings', () => {
  const bind = async (chatroom_id: string) => {
    const { body } = await api.call(bindingRoutes.createBinding, tenant.companyManager, {
      body: { chatroom_id, task_id: task.taskId, task_version_id: task.versionId },
    })
    return body.id
  }
  const revoke = (id: string) =>
    api.call(bindingRoutes.revokeBinding, tenant.companyManager, { params: { id } })
  const ofTask = (principal: Principal, query: Query = {}, id = task.taskId) =>
    api.call(managementRoutes.listTaskBindings, principal, { params: { id }, query })
  const ofRoom = (principal: Principal, query: Query = {}, cid = tenant.roomId) =>
    api.call(managementRoutes.listRoomBindings, principal, { params: { cid }, query })
  const idsOf = ({ body }: { body: BindingList }) => body.items.map((binding) => binding.id)

  it('of a task show its owner every room, and others the rooms they manage', async () => {
    const here = await bind(tenant.roomId)
    const there = await bind(otherRoomId)
    const owner = await ofTask(tenant.companyManager)
    expect(owner.body).toMatchObject({ page_size: 20, next_page_token: null, truncated: false })
    expect(idsOf(owner)).toEqual([there, here])
    expect(idsOf(await ofTask(tenant.roomManager))).toEqual([here])
    expect(idsOf(await ofTask(tenant.departmentManager))).toEqual([here])
    expect(idsOf(await ofTask(tenant.member))).toEqual([])
  })

  it('of a task show the current state of its rooms', async () => {
    await bind(tenant.roomId)
    await bind(otherRoomId)
    await deleteRoom(otherRoomId)
    const { items } = (await ofTask(tenant.companyManager)).body
    expect(items).toMatchObject([
      { chatroom_id: otherRoomId, authority_applicable: false },
      { chatroom_id: tenant.roomId, authority_applicable: true },
    ])
  })

  it('of a task are hidden where the task is', async () => {
    const unshared = await makeRunnableTask(db, tenant.companyId)
    await db.deleteFrom('share_grants').where('task_id', '=', unshared.taskId).execute()
    const foreign = (await makeTenant(db)).companyManager
    for (const answer of [
      await ofTask(tenant.roomManager, {}, unshared.taskId),
      await ofTask(foreign),
      await ofTask(tenant.companyManager, {}, newId('task')),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ detail: { code: 'not_found', message: 'Not found.' } })
    }
    expect((await ofTask(tenant.companyManager, {}, 'a b')).status).toBe(422)
  })

  it('of a room are for its managers', async () => {
    const id = await bind(tenant.roomId)
    await bind(otherRoomId)
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect(idsOf(await ofRoom(principal))).toEqual([id])
    }
    const elsewhere = await makeUser(db, {
      companyId: tenant.companyId,
      role: 2,
      managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
    })
    const foreign = (await makeTenant(db)).companyManager
    for (const principal of [tenant.member, tenant.stranger, elsewhere, foreign]) {
      expect((await ofRoom(principal)).status).toBe(404)
    }
    expect((await ofRoom(tenant.companyManager, {}, newId('chatroom'))).status).toBe(404)
  })

  it('hide revoked ones unless they are requested', async () => {
    const first = await bind(tenant.roomId)
    await revoke(first)
    const second = await bind(tenant.roomId)
    for (const list of [ofRoom, ofTask]) {
      const lifecycles = async (lifecycle: string) => idsOf(await list(tenant.companyManager, { lifecycle }))
      expect(idsOf(await list(tenant.companyManager))).toEqual([second])
      expect(await lifecycles('active')).toEqual([second])
      expect(await lifecycles('retired')).toEqual([first])
      expect(await lifecycles('all')).toEqual([second, first])
      expect((await list(tenant.companyManager, { lifecycle: 'gone' })).status).toBe(422)
    }
  })

  it('are paged and report whether more follow', async () => {
    const made: string[] = []
    for (let n = 0; n < 3; n++) {
      made.push(await bind(tenant.roomId))
      await revoke(made[n] ?? '')
    }
    const query = { lifecycle: 'all', page_size: '2' }
    const first = await ofRoom(tenant.roomManager, query)
    expect(first.body).toMatchObject({ page_size: 2, truncated: true })
    const page_token = first.body.next_page_token ?? ''
    const second = await ofRoom(tenant.roomManager, { ...query, page_token })
    expect(second.body).toMatchObject({ truncated: false, next_page_token: null })
    expect([...idsOf(first), ...idsOf(second)]).toEqual(made.toReversed())
    // A page token of another list starts at the first page.
    expect(idsOf(await ofTask(tenant.companyManager, { ...query, page_token }))).toEqual(idsOf(first))
    for (const page_size of ['0', '101']) {
      expect((await ofRoom(tenant.roomManager, { page_size })).status).toBe(422)
    }
  })

  it('are refused to a sandbox-scope key, by room with 405', async () => {
    const manager = await makeUser(db, { companyId: tenant.companyId, role: 3 })
    await addMember(db, { companyId: tenant.companyId, roomId: tenant.roomId, userId: manager.principalId })
    const key = withSandboxKey(manager, [tenant.roomId])
    expect((await ofTask(key)).status).toBe(403)
    expect((await ofRoom(key)).status).toBe(405)
    expect((await ofRoom(key, {}, otherRoomId)).status).toBe(403)
  })
})
