import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
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

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let environmentVersionId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
})

const publish = (taskId: string, fields: Record<string, unknown> = {}) =>
  api.tasks.publish(tenant.companyManager, { taskId, environmentVersionId, fields })
const newTask = async () =>
  (await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
const shareToRoom = (taskId: string) =>
  api.tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })

/** A task with a published version, shared to the room. */
async function grantedTask(
  fields: Record<string, unknown> = {},
): Promise<{ taskId: string; versionId: string }> {
  const taskId = await newTask()
  const { id: versionId } = await publish(taskId, fields)
  await shareToRoom(taskId)
  return { taskId, versionId }
}

const enable = (tid: string, body?: unknown, principal: Principal = tenant.roomManager) =>
  api.call(chatroomRoutes.enableGrantedJob, principal, {
    params: { cid: tenant.roomId, tid },
    body,
  })
const disable = (tid: string) =>
  api.call(chatroomRoutes.disableGrantedJob, tenant.roomManager, {
    params: { cid: tenant.roomId, tid },
  })
const granted = async (cid = tenant.roomId) =>
  (
    await api.call(chatroomRoutes.listGrantedJobs, tenant.companyManager, {
      params: { cid },
    })
  ).body
const menu = async (principal = tenant.member, query: Record<string, string> = {}) =>
  (await api.call(chatroomRoutes.readMenu, principal, { params: { cid: tenant.roomId }, query })).body
const menuTasks = async () => (await menu()).items.map((item) => item.task_id)

const raiseAuthority = () =>
  db
    .updateTable('chatrooms')
    .set((eb) => ({ authority_generation: eb('authority_generation', '+', 1) }))
    .where('id', '=', tenant.roomId)
    .execute()

describe('granted jobs', () => {
  it('come in pages where there are more than a thousand', async () => {
    const room = { cid: tenant.roomId }
    const tasks = Array.from({ length: 1001 }, () => newId('task')).toSorted()
    const owner = { company_id: tenant.companyId, owner_scope: 'company', owner_id: tenant.companyId }
    await db
      .insertInto('tasks')
      .values(tasks.map((id) => ({ id, name: id, ...owner })))
      .execute()
    await db
      .insertInto('share_grants')
      .values(
        tasks.map((task_id) => ({
          id: newId('shareGrant'),
          company_id: tenant.companyId,
          task_id,
          target_kind: 'company',
          target_id: tenant.companyId,
          generation: 1,
        })),
      )
      .execute()
    const first = await granted()
    expect(first.items).toHaveLength(1000)
    const { body: second } = await api.call(chatroomRoutes.listGrantedJobs, tenant.companyManager, {
      params: room,
      query: { page_token: first.next_page_token ?? '' },
    })
    expect([...first.items, ...second.items].map((item) => item.task_id)).toEqual(tasks)
    expect(second.next_page_token).toBeNull()
  })

  it('have at most 4 MiB on a page, whose wrapper says how to go on', async () => {
    const owner = { company_id: tenant.companyId, owner_scope: 'company', owner_id: tenant.companyId }
    const tasks = Array.from({ length: 700 }, () => newId('task')).toSorted()
    await db
      .insertInto('tasks')
      .values(tasks.map((id) => ({ id, name: id, description: '字'.repeat(2048), ...owner })))
      .execute()
    const grant = {
      company_id: tenant.companyId,
      target_kind: 'company',
      target_id: tenant.companyId,
    } as const
    await db
      .insertInto('share_grants')
      .values(tasks.map((task_id) => ({ id: newId('shareGrant'), task_id, generation: 1, ...grant })))
      .execute()
    const first = await granted()
    expect(Object.keys(first).toSorted()).toEqual(['chatroom_id', 'items', 'next_page_token', 'page_size'])
    expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThan(4 * 1024 ** 2 + 1000)
    const { body: second } = await api.call(chatroomRoutes.listGrantedJobs, tenant.companyManager, {
      params: { cid: tenant.roomId },
      query: { page_token: first.next_page_token ?? '' },
    })
    expect([...first.items, ...second.items].map((item) => item.task_id)).toEqual(tasks)
  })

  it('are the active tasks shared to the room, its department or its company', async () => {
    const { taskId: toRoom } = await grantedTask()
    const [toDepartment, toCompany, elsewhere] = [await newTask(), await newTask(), await newTask()]
    await api.tasks.share(tenant.companyManager, {
      taskId: toDepartment,
      kind: 'department',
      id: tenant.departmentId,
    })
    await api.tasks.share(tenant.companyManager, { taskId: toCompany, kind: 'company', id: tenant.companyId })
    await api.tasks.share(tenant.companyManager, { taskId: toCompany, kind: 'chatroom', id: tenant.roomId })
    const otherDepartment = await makeDepartment(db, tenant.companyId)
    await api.tasks.share(tenant.companyManager, {
      taskId: elsewhere,
      kind: 'department',
      id: otherDepartment,
    })
    const list = await granted()
    expect(list.chatroom_id).toBe(tenant.roomId)
    expect(list.items.map((item) => item.task_id)).toEqual([toRoom, toDepartment, toCompany].toSorted())
    expect(list.items.every((item) => !item.enabled && item.binding_id === null)).toBe(true)
    const otherRoom = await makeRoom(db, { companyId: tenant.companyId, departmentId: otherDepartment })
    expect((await granted(otherRoom)).items.map((item) => item.task_id)).toEqual(
      [toCompany, elsewhere].toSorted(),
    )
  })

  it('are for managers of the room', async () => {
    const foreign = await makeUser(db, {
      companyId: tenant.companyId,
      role: 2,
      managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
    })
    const { taskId } = await grantedTask()
    for (const principal of [
      tenant.member,
      tenant.stranger,
      foreign,
      (await makeTenant(db)).companyManager,
    ]) {
      expect((await enable(taskId, undefined, principal)).status).toBe(404)
      const params = { cid: tenant.roomId }
      expect((await api.call(chatroomRoutes.listGrantedJobs, principal, { params })).status).toBe(404)
    }
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await enable(taskId, undefined, principal)).status).toBe(200)
    }
  })
})

describe('enabling', () => {
  it('pins the current published version, and moves the pin when asked', async () => {
    const { taskId, versionId } = await grantedTask()
    const enabled = await enable(taskId)
    expect(enabled.body).toMatchObject({
      task_id: taskId,
      enabled: true,
      pinned_task_version_id: versionId,
      current_published_version_id: versionId,
      update_available: false,
    })
    const { id: newer } = await publish(taskId)
    expect((await granted()).items[0]).toMatchObject({
      pinned_task_version_id: versionId,
      update_available: true,
    })
    const moved = await enable(taskId)
    expect(moved.body).toMatchObject({
      binding_id: enabled.body.binding_id,
      pinned_task_version_id: newer,
      update_available: false,
    })
    const back = await enable(taskId, { task_version_id: versionId })
    expect(back.body).toMatchObject({ pinned_task_version_id: versionId, update_available: true })
  })

  it('opens the next generation after a disable', async () => {
    const { taskId } = await grantedTask()
    const first = await enable(taskId)
    expect((await disable(taskId)).body).toMatchObject({
      enabled: false,
      binding_id: null,
      pinned_task_version_id: null,
    })
    expect((await disable(taskId)).status).toBe(200)
    const second = await enable(taskId)
    expect(second.body.binding_id).not.toBe(first.body.binding_id)
    const rows = await db
      .selectFrom('bindings')
      .select(['generation', 'state'])
      .where('task_id', '=', taskId)
      .orderBy('generation')
      .execute()
    expect(rows).toEqual([
      { generation: 1, state: 'revoked' },
      { generation: 2, state: 'enabled' },
    ])
  })

  it('creates one binding for concurrent requests', async () => {
    const { taskId } = await grantedTask()
    const answers = await Promise.all(Array.from({ length: 5 }, () => enable(taskId)))
    expect(new Set(answers.map((answer) => answer.body.binding_id)).size).toBe(1)
  })

  it('is refused for what the room could not run', async () => {
    const { taskId, versionId } = await grantedTask()
    const draft = await api.tasks.draft(tenant.companyManager, { taskId, environmentVersionId })
    const other = await grantedTask()
    const unshared = await newTask()
    const unpublished = await newTask()
    await shareToRoom(unpublished)
    const code = async (answer: Promise<{ status: number; body: { detail?: unknown } }>) => {
      const { status, body } = await answer
      return [status, (body.detail as { code: string }).code]
    }
    expect(await code(enable(unshared))).toEqual([409, 'task_not_shared_to_room'])
    expect(await code(enable(unpublished))).toEqual([409, 'version_not_runnable'])
    expect(await code(enable(taskId, { task_version_id: draft.id }))).toEqual([409, 'version_not_runnable'])
    expect(await code(enable(taskId, { task_version_id: other.versionId }))).toEqual([404, 'not_found'])
    expect(await code(enable(newId('task')))).toEqual([404, 'not_found'])
    expect(await code(disable(unshared))).toEqual([409, 'task_not_shared_to_room'])
    expect((await enable(taskId, { version: versionId })).status).toBe(422)
    await db
      .updateTable('task_versions')
      .set({ content_state: 'scrubbed' })
      .where('id', '=', versionId)
      .execute()
    expect(await code(enable(taskId))).toEqual([409, 'version_not_runnable'])
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    expect(await code(enable(taskId))).toEqual([409, 'task_archived'])
    expect(
      (await db.selectFrom('bindings').select('id').where('task_id', '=', taskId).execute()).length,
    ).toBe(0)
  })

  it('must be repeated once the room has moved', async () => {
    const { taskId } = await grantedTask()
    const company = { taskId, kind: 'company', id: tenant.companyId }
    await api.tasks.share(tenant.companyManager, company)
    await enable(taskId)
    await raiseAuthority()
    expect(await menuTasks()).toEqual([])
    expect((await granted()).items[0]).toMatchObject({ enabled: false })
    expect((await enable(taskId)).body.enabled).toBe(true)
    expect(await menuTasks()).toEqual([taskId])
  })

  it('shows the slots of the pinned version and who supplies them', async () => {
    const taskId = await newTask()
    await publish(taskId, { secret_slot_declarations: ['TOKEN', { name: 'OTHER' }] })
    await api.call(taskRoutes.createShare, tenant.companyManager, {
      params: { id: taskId },
      body: { target_kind: 'chatroom', target_id: tenant.roomId, secret_slot_policies: { OTHER: 'owner' } },
    })
    const slots = [
      {
        name: 'TOKEN',
        policy: 'borrower',
        borrower_bound: false,
        owner_bound: false,
        effective_source: 'missing',
      },
      {
        name: 'OTHER',
        policy: 'owner',
        borrower_bound: false,
        owner_bound: false,
        effective_source: 'missing',
      },
    ]
    expect((await enable(taskId)).body.secret_slots).toEqual(slots)
    expect((await menu()).items[0]).toMatchObject({
      secret_slots: slots,
      secret_slot_names: ['TOKEN', 'OTHER'],
    })
  })
})

describe('the menu', () => {
  it('is the same for every caller and never shows a source', async () => {
    const { taskId, versionId } = await grantedTask({
      work_script: 'echo secret-of-the-owner',
      work_command: 'sh -c hidden',
      input_schema: '{"type":"object"}',
    })
    await enable(taskId)
    const seen = await menu(tenant.member)
    expect(seen.page_size).toBe(50)
    expect(seen.items).toEqual([
      expect.objectContaining({
        task_id: taskId,
        task_version_id: versionId,
        task_version_digest: expect.stringMatching(/^sha256:/),
        version_state: 'published',
        input_schema: '{"type":"object"}',
        secret_slots: [],
        secret_use_risk_warning: null,
        source_visible: false,
        runtime_contract: expect.objectContaining({ driver: '. /workspace/work.sh' }),
      }),
    ])
    expect(JSON.stringify(seen)).not.toMatch(/secret-of-the-owner|hidden/)
    const key: Principal = {
      ...tenant.member,
      authMethod: 'api_key',
      apiKey: { id: newId('apiKey'), scope: 'sandbox', allowedChatroomIds: [tenant.roomId] },
    }
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager, key]) {
      expect(await menu(principal)).toEqual(seen)
    }
  })

  it('is hidden from non-members and from keys of other rooms', async () => {
    const params = { cid: tenant.roomId }
    const status = async (principal: Principal) =>
      (await api.call(chatroomRoutes.readMenu, principal, { params })).status
    expect(await status(tenant.stranger)).toBe(404)
    expect(await status((await makeTenant(db)).companyManager)).toBe(404)
    const keyOf = (rooms: string[]): Principal => ({
      ...tenant.member,
      authMethod: 'api_key',
      apiKey: { id: newId('apiKey'), scope: 'sandbox', allowedChatroomIds: rooms },
    })
    expect(await status(keyOf([newId('chatroom')]))).toBe(403)
    const list = await api.call(chatroomRoutes.listGrantedJobs, keyOf([tenant.roomId]), { params })
    expect(list.status).toBe(405)
  })

  it('is granted and enabled, both, and what can still be run', async () => {
    const { taskId, versionId } = await grantedTask()
    expect(await menuTasks()).toEqual([])
    await enable(taskId)
    expect(await menuTasks()).toEqual([taskId])
    const shareId = (
      await db.selectFrom('share_grants').select('id').where('task_id', '=', taskId).executeTakeFirstOrThrow()
    ).id
    await api.call(taskRoutes.revokeShare, tenant.companyManager, {
      params: { id: taskId, gid: shareId },
    })
    expect(await menuTasks()).toEqual([])
    expect((await disable(taskId)).body).toMatchObject({ enabled: false })
    await shareToRoom(taskId)
    await enable(taskId)
    expect(await menuTasks()).toEqual([taskId])
    await api.call(taskRoutes.archiveTaskVersion, tenant.companyManager, {
      params: { id: taskId, vid: versionId },
    })
    expect(await menuTasks()).toEqual([])
  })

  it('is paged in the order of task ids', async () => {
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) {
      const { taskId } = await grantedTask()
      ids.push(taskId)
    }
    ids.sort()
    for (const taskId of ids.toReversed()) await enable(taskId)
    const first = await menu(tenant.member, { page_size: '2' })
    expect(first.items.map((item) => item.task_id)).toEqual(ids.slice(0, 2))
    const second = await menu(tenant.member, { page_size: '2', page_token: first.next_page_token ?? '' })
    expect(second).toMatchObject({ items: [{ task_id: ids[2] }], next_page_token: null })
  })
})
