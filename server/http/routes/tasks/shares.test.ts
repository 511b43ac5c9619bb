import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeDepartment, makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(db)
})

const newTask = async () =>
  (await api.tasks.create(tenant.departmentManager, { scope: 'department', id: tenant.departmentId })).id

const share = (id: string, body: unknown, principal = tenant.departmentManager) =>
  api.call(taskRoutes.createShare, principal, { params: { id }, body })
const revoke = (id: string, gid: string, body?: unknown) =>
  api.call(taskRoutes.revokeShare, tenant.departmentManager, {
    params: { id, gid },
    body,
  })
const list = async (id: string, query: Record<string, string> = {}) =>
  (await api.call(taskRoutes.listShares, tenant.departmentManager, { params: { id }, query })).body

describe('sharing a task', () => {
  it('reaches a room, a department or the company', async () => {
    const id = await newTask()
    const policies = { TOKEN: 'owner', OTHER: 'owner_overridable' }
    const toRoom = await share(id, {
      target_kind: 'chatroom',
      target_id: tenant.roomId,
      secret_slot_policies: policies,
    })
    expect(toRoom.body).toEqual({
      id: expect.stringMatching(/^shr_/),
      company_id: tenant.companyId,
      task_id: id,
      target_kind: 'chatroom',
      target_id: tenant.roomId,
      generation: 1,
      state: 'active',
      active: true,
      authority_applicable: true,
      owner_authority_generation: 1,
      target_authority_generation: 1,
      revoked_at: null,
      revoke_reason: '',
      secret_slot_policies: policies,
    })
    const elsewhere = await makeDepartment(db, tenant.companyId)
    expect((await share(id, { target_kind: 'department', target_id: elsewhere })).status).toBe(200)
    expect((await share(id, { target_kind: 'company', target_id: tenant.companyId })).status).toBe(200)
  })

  it('is refused a second time, also concurrently, and starts a new generation after a revoke', async () => {
    const id = await newTask()
    const body = { target_kind: 'chatroom', target_id: tenant.roomId }
    const answers = await Promise.all(Array.from({ length: 5 }, () => share(id, body)))
    const [made] = answers.filter((answer) => answer.status === 200)
    const refused = answers.filter((answer) => answer.status === 409)
    expect(refused).toHaveLength(4)
    expect(refused[0]?.body.detail).toMatchObject({ code: 'share_already_live' })

    const gid = made?.body.id ?? ''
    const ended = await revoke(id, gid, { reason: 'moved on' })
    expect(ended.body).toMatchObject({
      state: 'revoked',
      active: false,
      revoke_reason: 'moved on',
      revoked_at: expect.any(String),
    })
    expect((await revoke(id, gid)).body.detail).toMatchObject({ code: 'illegal_transition' })
    expect((await share(id, body)).body).toMatchObject({ generation: 2, state: 'active' })

    expect((await list(id)).items.map((item) => item.state)).toEqual(['revoked', 'active'])
    expect((await list(id, { lifecycle: 'active' })).items).toHaveLength(1)
    const first = await list(id, { page_size: '1' })
    const second = await list(id, { page_size: '1', page_token: first.next_page_token ?? '' })
    expect(second).toMatchObject({ items: [{ generation: 2 }], next_page_token: null })
  })

  it('asks to revoke first if the room has moved since', async () => {
    const id = await newTask()
    const target_id = await makeRoom(db, tenant)
    const body = { target_kind: 'chatroom', target_id }
    const made = await share(id, body)
    const plain = await share(id, body)
    expect(plain.body.detail).toMatchObject({ code: 'share_already_live', share_grant_id: made.body.id })
    const department_id = await makeDepartment(db, tenant.companyId)
    await db
      .updateTable('chatrooms')
      .set({ department_id, authority_generation: 2 })
      .where('id', '=', target_id)
      .execute()
    const moved = await share(id, body)
    expect(moved).toMatchObject({
      status: 409,
      body: {
        detail: { code: 'share_already_live', message: expect.stringMatching(/moved.*Revoke it, then/) },
      },
    })
    expect((await revoke(id, made.body.id)).status).toBe(200)
    expect((await share(id, body)).body).toMatchObject({
      generation: 2,
      target_authority_generation: 2,
      active: true,
    })
  })

  it('is refused for a target that is not a live one of the company', async () => {
    const id = await newTask()
    const other = await makeTenant(db)
    const deleted = await makeRoom(db, tenant)
    await db
      .updateTable('chatrooms')
      .set({ deleted_at: new Date(), authority_generation: 2 })
      .where('id', '=', deleted)
      .execute()
    const targets = [
      ['chatroom', deleted],
      ['chatroom', other.roomId],
      ['chatroom', newId('chatroom')],
      ['chatroom', tenant.departmentId],
      ['department', other.departmentId],
      ['department', tenant.roomId],
      ['company', other.companyId],
    ]
    for (const [target_kind, target_id] of targets) {
      const answer = await share(id, { target_kind, target_id })
      expect(answer).toMatchObject({ status: 422, body: { detail: { code: 'share_target_invalid' } } })
    }
    expect((await list(id)).items).toEqual([])
  })

  it.each([
    ['an unknown policy', { TOKEN: 'anyone' }],
    ['a policy that is no text', { TOKEN: 1 }],
    ['a reserved name', { SERVICE_TOKEN: 'owner' }],
    ['a name that is none', { 'a b': 'owner' }],
    ['more than a hundred', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`S${i}`, 'owner']))],
  ])('is refused with %s among the policies', async (_name, secret_slot_policies) => {
    const id = await newTask()
    const answer = await share(id, {
      target_kind: 'company',
      target_id: tenant.companyId,
      secret_slot_policies,
    })
    expect(answer).toMatchObject({ status: 422, body: { detail: { code: 'secret_slot_policies_invalid' } } })
  })

  it('is for managers of the owner, and only of active tasks', async () => {
    const id = await newTask()
    const body = { target_kind: 'chatroom', target_id: tenant.roomId }
    for (const principal of [tenant.member, tenant.roomManager]) {
      expect((await share(id, body, principal)).status).toBe(404)
    }
    expect((await share(id, { ...body, target_kind: 'world' })).status).toBe(422)
    expect((await revoke(id, newId('shareGrant'))).status).toBe(404)
    await api.call(taskRoutes.archiveTask, tenant.departmentManager, { params: { id } })
    expect((await share(id, body)).body.detail).toMatchObject({ code: 'task_archived' })
  })

  it('shows when the room has moved since', async () => {
    const id = await newTask()
    const roomId = await makeRoom(db, tenant)
    await share(id, { target_kind: 'chatroom', target_id: roomId })
    const raise = { authority_generation: 2 }
    await db.updateTable('chatrooms').set(raise).where('id', '=', roomId).execute()
    expect((await list(id)).items[0]).toMatchObject({ state: 'active', authority_applicable: false })
  })
})
