import type { Binding } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import { bindingRoutes } from '@sandbox-jobs/contract/routes/binding-routes.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeDepartment, makeTenant, makeUser, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let environmentVersionId: string
let taskId: string
let versionId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
  taskId = (await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
  versionId = await publish()
  await api.tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })
})

const publish = async () =>
  (await api.tasks.publish(tenant.companyManager, { taskId, environmentVersionId })).id

type Answer = { status: number; body: Binding & { detail?: unknown } }
const refusal = ({ status, body }: Answer) => [status, (body.detail as { code?: string }).code]

const create = (body: Record<string, unknown> = {}, principal: Principal = tenant.roomManager) =>
  api.call(bindingRoutes.createBinding, principal, {
    body: { chatroom_id: tenant.roomId, task_id: taskId, task_version_id: versionId, ...body },
  })
const made = async () => (await create()).body
const read = (id: string, principal: Principal = tenant.roomManager) =>
  api.call(bindingRoutes.readBinding, principal, { params: { id } })
const accept = (id: string, task_version_id: string, principal: Principal = tenant.roomManager) =>
  api.call(bindingRoutes.acceptBindingVersion, principal, {
    params: { id },
    body: { task_version_id },
  })
const revoke = (id: string, body?: unknown, principal: Principal = tenant.roomManager) =>
  api.call(bindingRoutes.revokeBinding, principal, { params: { id }, body })
const bindingCount = async () =>
  (await db.selectFrom('bindings').select('id').where('company_id', '=', tenant.companyId).execute()).length
const menu = async () => {
  const params = { cid: tenant.roomId }
  return (await api.call(chatroomRoutes.readMenu, tenant.member, { params })).body.items
}
const moveRoom = async () => {
  const department_id = await makeDepartment(db, tenant.companyId)
  await db
    .updateTable('chatrooms')
    .set((eb) => ({ department_id, authority_generation: eb('authority_generation', '+', 1) }))
    .where('id', '=', tenant.roomId)
    .execute()
}
const deleteRoom = () =>
  db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', tenant.roomId).execute()

/** Everyone who does not manage the room. */
const others = async (): Promise<Principal[]> => [
  tenant.member,
  tenant.stranger,
  await makeUser(db, {
    companyId: tenant.companyId,
    role: 2,
    managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
  }),
  (await makeTenant(db)).companyManager,
]

describe('creating a binding', () => {
  it('pins the version as enabling does', async () => {
    const { status, body } = await create()
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^bnd_/),
      company_id: tenant.companyId,
      chatroom_id: tenant.roomId,
      task_id: taskId,
      task_version_id: versionId,
      generation: 1,
      share_generation: 1,
      target_authority_generation: 1,
      state: 'enabled',
      update_available: false,
      authority_applicable: true,
      accepted_at: expect.stringMatching(/Z$/),
      revoked_at: null,
    })
    expect(await menu()).toMatchObject([{ task_id: taskId, task_version_id: versionId }])
    expect((await api.tasks.enable(tenant.roomManager, tenant.roomId, taskId)).binding_id).toBe(body.id)
  })

  it('moves the pin of a task that is enabled, back too', async () => {
    const { id } = await made()
    const next = await publish()
    expect((await create({ task_version_id: next })).body).toMatchObject({
      id,
      task_version_id: next,
      generation: 1,
    })
    expect((await create()).body).toMatchObject({ id, task_version_id: versionId, update_available: true })
  })

  it('starts the next generation after a revoke', async () => {
    const first = await made()
    await revoke(first.id)
    const second = await made()
    expect(second).toMatchObject({ generation: 2, state: 'enabled' })
    expect(second.id).not.toBe(first.id)
  })

  it('is for managers of the room', async () => {
    for (const principal of await others()) {
      expect(refusal(await create({}, principal))).toEqual([404, 'not_found'])
    }
    expect(await bindingCount()).toBe(0)
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await create({}, principal)).status).toBe(200)
    }
  })

  it('is refused for what is absent, foreign, unshared, archived or not published', async () => {
    const foreign = await makeTenant(db)
    const draft = await api.tasks.draft(tenant.companyManager, { taskId, environmentVersionId })
    const unshared = await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })
    const archived = await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: archived.id } })
    const cases: [Record<string, unknown>, number, string][] = [
      [{ chatroom_id: newId('chatroom') }, 404, 'not_found'],
      [{ chatroom_id: foreign.roomId }, 404, 'not_found'],
      [{ task_id: newId('task') }, 404, 'not_found'],
      [{ task_version_id: newId('taskVersion') }, 404, 'not_found'],
      [{ task_id: unshared.id }, 409, 'task_not_shared_to_room'],
      [{ task_id: archived.id }, 409, 'task_archived'],
      [{ task_version_id: draft.id }, 409, 'version_not_runnable'],
    ]
    for (const [fields, status, code] of cases) {
      expect(refusal(await create(fields))).toEqual([status, code])
    }
    expect(await bindingCount()).toBe(0)
  })

  it.each([
    ['an unknown field', { note: 'x' }],
    ['no version', { task_version_id: undefined }],
    ['null as version', { task_version_id: null }],
    ['a path as id', { task_id: '../x' }],
    ['an id of 37', { chatroom_id: 'x'.repeat(37) }],
  ])('is refused by validation for %s', async (_name, fields) => {
    const { status, body } = await create(fields)
    expect(status).toBe(422)
    expect(body.detail).toBeInstanceOf(Array)
    expect(await bindingCount()).toBe(0)
  })

  it('creates one binding for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await bindingCount()).toBe(1)
  })
})

describe('reading a binding', () => {
  it('is for managers of the room, for a revoked one too', async () => {
    const { id } = await made()
    await revoke(id)
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await read(id, principal)).body).toMatchObject({ id, state: 'revoked' })
    }
    for (const principal of await others()) {
      expect(refusal(await read(id, principal))).toEqual([404, 'not_found'])
    }
    expect(refusal(await read(newId('binding')))).toEqual([404, 'not_found'])
    expect((await read('a b')).status).toBe(422)
  })

  it('shows that a newer version is published', async () => {
    const { id } = await made()
    await publish()
    expect((await read(id)).body).toMatchObject({ task_version_id: versionId, update_available: true })
    await revoke(id)
    expect((await read(id)).body.update_available).toBe(false)
  })

  it('shows that the room has moved since', async () => {
    const { id } = await made()
    await moveRoom()
    expect((await read(id, tenant.companyManager)).body).toMatchObject({
      authority_applicable: false,
      target_authority_generation: 1,
    })
    expect((await read(id, tenant.departmentManager)).status).toBe(404)
  })

  it('is left to managers of its department once the room is deleted', async () => {
    const { id } = await made()
    await deleteRoom()
    expect((await read(id, tenant.departmentManager)).body.authority_applicable).toBe(false)
    expect((await read(id, tenant.roomManager)).status).toBe(404)
    expect((await revoke(id, {}, tenant.companyManager)).status).toBe(404)
  })

  it.each(['createBinding', 'readBinding', 'acceptBindingVersion', 'revokeBinding'] as const)(
    '%s is refused to a sandbox-scope key',
    async (name) => {
      const { id } = await made()
      const key = withSandboxKey(tenant.companyManager, [tenant.roomId])
      const { status, body } = await api.call(bindingRoutes[name], key, { params: { id } })
      expect([status, typeof body.detail]).toEqual([403, 'string'])
    },
  )
})

describe('accepting a version', () => {
  it('moves the pin to a newer one', async () => {
    const { id } = await made()
    const next = await publish()
    const { status, body } = await accept(id, next)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, task_version_id: next, generation: 1, update_available: false })
    expect(await menu()).toMatchObject([{ task_version_id: next }])
  })

  it('accepts what it shows as an update: the version that was published last, whatever its number', async () => {
    const draft = await api.tasks.draft(tenant.companyManager, { taskId, environmentVersionId })
    const pinned = await publish()
    const { id } = (await create({ task_version_id: pinned })).body
    const params = { id: taskId, vid: draft.id }
    await api.must(taskRoutes.publishTaskVersion, tenant.companyManager, { params })
    expect((await read(id)).body.update_available).toBe(true)
    expect((await accept(id, draft.id)).body).toMatchObject({
      task_version_id: draft.id,
      update_available: false,
    })
    expect(refusal(await accept(id, pinned))).toEqual([409, 'illegal_transition'])
  })

  it('shows no update when the pinned version was archived and only older ones are left', async () => {
    const { id } = await made()
    const next = await publish()
    await accept(id, next)
    const params = { id: taskId, vid: next }
    await api.must(taskRoutes.archiveTaskVersion, tenant.companyManager, { params })
    expect((await read(id)).body.update_available).toBe(false)
    const granted = await api.must(chatroomRoutes.listGrantedJobs, tenant.roomManager, {
      params: { cid: tenant.roomId },
    })
    expect(granted.items).toMatchObject([{ task_id: taskId, binding_id: id, update_available: false }])
    expect(refusal(await accept(id, versionId))).toEqual([409, 'illegal_transition'])
  })

  it('is refused for the pin itself and for an older one', async () => {
    const { id } = await made()
    const next = await publish()
    await accept(id, next)
    expect(refusal(await accept(id, next))).toEqual([409, 'illegal_transition'])
    expect(refusal(await accept(id, versionId))).toEqual([409, 'illegal_transition'])
    expect((await read(id)).body.task_version_id).toBe(next)
  })

  it('is refused for a draft, a version of another task and one that is absent', async () => {
    const { id } = await made()
    const draft = await api.tasks.draft(tenant.companyManager, { taskId, environmentVersionId })
    const { id: otherTask } = await api.tasks.create(tenant.companyManager, {
      scope: 'company',
      id: tenant.companyId,
    })
    const other = await api.tasks.publish(tenant.companyManager, { taskId: otherTask, environmentVersionId })
    expect(refusal(await accept(id, draft.id))).toEqual([409, 'version_not_runnable'])
    expect(refusal(await accept(id, other.id))).toEqual([404, 'not_found'])
    expect(refusal(await accept(id, newId('taskVersion')))).toEqual([404, 'not_found'])
    expect((await read(id)).body.task_version_id).toBe(versionId)
  })

  it('is refused once the binding is revoked, the room has moved or the share has ended', async () => {
    const { id } = await made()
    const next = await publish()
    const shares = await db.selectFrom('share_grants').select('id').where('task_id', '=', taskId).execute()
    for (const { id: gid } of shares) {
      await api.call(taskRoutes.revokeShare, tenant.companyManager, { params: { id: taskId, gid } })
    }
    expect(refusal(await accept(id, next))).toEqual([409, 'task_not_shared_to_room'])
    await api.tasks.share(tenant.companyManager, { taskId, kind: 'company', id: tenant.companyId })
    await moveRoom()
    expect(refusal(await accept(id, next))).toEqual([409, 'illegal_transition'])
    await revoke(id)
    expect(refusal(await accept(id, next))).toEqual([409, 'illegal_transition'])
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    expect(refusal(await accept(id, next))).toEqual([409, 'task_archived'])
  })

  it('is for managers of the room', async () => {
    const { id } = await made()
    const next = await publish()
    for (const principal of await others()) {
      expect(refusal(await accept(id, next, principal))).toEqual([404, 'not_found'])
    }
    expect(refusal(await accept(newId('binding'), next))).toEqual([404, 'not_found'])
    expect((await accept(id, '')).status).toBe(422)
  })
})

describe('revoking a binding', () => {
  it('takes the task out of the menu and keeps the reason', async () => {
    const { id } = await made()
    const { status, body } = await revoke(id, { reason: 'not needed' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, state: 'revoked', revoked_at: expect.stringMatching(/Z$/) })
    expect(await menu()).toEqual([])
    const row = await db.selectFrom('bindings').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.revoke_reason).toBe('not needed')
  })

  it('needs no body, and is refused when the binding has ended', async () => {
    const { id } = await made()
    expect((await revoke(id)).status).toBe(200)
    expect(refusal(await revoke(id))).toEqual([409, 'illegal_transition'])
  })

  it('takes a reason of 512 characters and no longer one', async () => {
    const { id } = await made()
    expect((await revoke(id, { reason: 'x'.repeat(513) })).status).toBe(422)
    expect((await revoke(id, { why: 'x' })).status).toBe(422)
    expect((await read(id)).body.state).toBe('enabled')
    expect((await revoke(id, { reason: 'x'.repeat(512) })).status).toBe(200)
  })

  it('is for managers of the room', async () => {
    const { id } = await made()
    for (const principal of await others()) {
      expect(refusal(await revoke(id, {}, principal))).toEqual([404, 'not_found'])
    }
    expect((await read(id)).body.state).toBe('enabled')
    expect((await revoke(id, {}, tenant.departmentManager)).status).toBe(200)
  })
})
