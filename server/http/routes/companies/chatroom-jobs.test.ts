import { chatroomJobsRoutes } from '@sandbox-jobs/contract/routes/chatroom-jobs-routes.ts'
import { platformRoutes } from '@sandbox-jobs/contract/routes/platform-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
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
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const set = (body: unknown, principal: Principal = tenant.roomManager, cid = tenant.roomId) =>
  api.call(chatroomJobsRoutes.updateChatroomJobs, principal, { params: { cid }, body })
const stored = async (id = tenant.roomId) =>
  (await db.selectFrom('chatrooms').select('jobs').where('id', '=', id).executeTakeFirstOrThrow()).jobs
const deleteRoom = (id: string) =>
  db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', id).execute()

describe('the jobs of a chatroom', () => {
  it.each([
    ['sandbox jobs', ['sandbox']],
    ['none', []],
    ['what the platform chooses', null],
  ])('are set to %s', async (_name, jobs) => {
    await set({ jobs: ['sandbox'] })
    expect(await set({ jobs })).toEqual({
      status: 200,
      body: { chatroom_id: tenant.roomId, jobs, updated_at: expect.stringMatching(/Z$/) },
    })
    expect(await stored()).toEqual(jobs)
  })

  it('are set by managers of the room; everyone else gets the same 403', async () => {
    for (const principal of [tenant.roomManager, tenant.departmentManager, tenant.companyManager]) {
      expect((await set({ jobs: null }, principal)).status).toBe(200)
    }
    const elsewhere = await makeUser(db, {
      companyId: tenant.companyId,
      role: 2,
      managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
    })
    const foreign = (await makeTenant(db)).companyManager
    const refused = [
      await set({ jobs: ['sandbox'] }, tenant.member),
      await set({ jobs: ['sandbox'] }, tenant.stranger),
      await set({ jobs: ['sandbox'] }, elsewhere),
      await set({ jobs: ['sandbox'] }, foreign),
      await set({ jobs: ['sandbox'] }, tenant.companyManager, newId('chatroom')),
    ]
    for (const answer of refused) {
      expect(answer).toEqual({ status: 403, body: { detail: 'Insufficient permissions.' } })
    }
    expect(await stored()).toBeNull()
  })

  it('are not set in a deleted room, nor by a sandbox-scope key', async () => {
    const key = withSandboxKey(tenant.companyManager, [tenant.roomId])
    expect((await set({ jobs: ['sandbox'] }, key)).status).toBe(403)
    await deleteRoom(tenant.roomId)
    expect((await set({ jobs: ['sandbox'] }, tenant.companyManager)).status).toBe(403)
    expect(await stored()).toBeNull()
  })

  it.each([
    ['an unknown job', { jobs: ['mining'] }],
    ['a job twice', { jobs: ['sandbox', 'sandbox'] }],
    ['text', { jobs: 'sandbox' }],
    ['no jobs at all', {}],
    ['an unknown field', { jobs: null, note: 'x' }],
  ])('refuse %s with 422', async (_name, body) => {
    const { status, body: answer } = await set(body)
    expect(status).toBe(422)
    expect(answer.detail).toBeInstanceOf(Array)
    expect(await stored()).toBeNull()
  })
})

describe('rooms by job', () => {
  type Query = Record<string, string>
  const list = (principal: Principal, query: Query = {}) =>
    api.call(chatroomJobsRoutes.listChatroomsByJob, principal, { query })
  const count = (principal: Principal, query: Query = {}) =>
    api.call(chatroomJobsRoutes.countChatroomsByJob, principal, { query })
  /** The ids that both routes return. */
  const rooms = async (principal: Principal, query: Query = {}) => {
    const { body } = await list(principal, query)
    expect((await count(principal, query)).body).toEqual({ num: body.length })
    return body.map((room) => room.chatroom_id)
  }
  const room = async (jobs: string[] | null, departmentId = tenant.departmentId) => {
    const id = await makeRoom(db, { companyId: tenant.companyId, departmentId })
    await db.updateTable('chatrooms').set({ jobs }).where('id', '=', id).execute()
    return id
  }
  const join = (roomId: string) =>
    addMember(db, { companyId: tenant.companyId, roomId, userId: tenant.member.principalId })

  it("are the caller's rooms that enabled it by name", async () => {
    const [enabled, unset, emptied] = [await room(['sandbox']), await room(null), await room([])]
    for (const id of [enabled, unset, emptied]) await join(id)
    await room(['sandbox'])
    const { status, body } = await list(tenant.member)
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        chatroom_id: enabled,
        name: enabled,
        department_id: tenant.departmentId,
        jobs: ['sandbox'],
        updated_at: null,
      },
    ])
    expect(await rooms(tenant.companyManager)).toEqual([])
    await deleteRoom(enabled)
    expect(await rooms(tenant.member)).toEqual([])
  })

  it('of a department are all for its managers, and only joined ones for others', async () => {
    const joined = await room(['sandbox'])
    const other = await room(['sandbox'])
    const elsewhere = await room(['sandbox'], await makeDepartment(db, tenant.companyId))
    await join(joined)
    await join(elsewhere)
    const query = { department_id: tenant.departmentId }
    expect(await rooms(tenant.companyManager, query)).toEqual([joined, other].toSorted())
    expect(await rooms(tenant.departmentManager, query)).toEqual([joined, other].toSorted())
    expect(await rooms(tenant.member, query)).toEqual([joined])
    expect(await rooms(tenant.stranger, query)).toEqual([])
  })

  it('of a department outside the company are not found', async () => {
    const foreign = await makeTenant(db)
    for (const department_id of [foreign.departmentId, newId('department')]) {
      for (const answer of [
        await list(tenant.companyManager, { department_id }),
        await count(tenant.companyManager, { department_id }),
      ]) {
        expect(answer).toEqual({
          status: 404,
          body: { detail: { code: 'not_found', message: 'Not found.' } },
        })
      }
    }
  })

  it('are sorted by name, in pages', async () => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await room(['sandbox']))
    const query = { department_id: tenant.departmentId }
    const stretch = async (more: Query) =>
      (await list(tenant.companyManager, { ...query, ...more })).body.map((item) => item.name)
    const names = ids.toSorted()
    expect(await stretch({})).toEqual(names)
    expect(await stretch({ order: 'desc', limit: '3' })).toEqual(names.toReversed().slice(0, 3))
    expect(await stretch({ offset: '2', limit: '1' })).toEqual(names.slice(2, 3))
    expect((await count(tenant.companyManager, { ...query, limit: '1' })).body).toEqual({ num: 4 })
  })

  it.each([
    ['an offset below 0', { offset: '-1' }],
    ['a limit of 0', { limit: '0' }],
    ['a limit of 101', { limit: '101' }],
    ['an unknown order', { order: 'up' }],
    ['a department with a slash', { department_id: 'a/b' }],
  ])('refuse %s with 422', async (_name, query) => {
    expect((await list(tenant.member, query)).status).toBe(422)
    expect((await count(tenant.member, query)).status).toBe(422)
  })

  it('are refused to a sandbox-scope key', async () => {
    const key = withSandboxKey(tenant.member, [tenant.roomId])
    expect((await list(key)).status).toBe(403)
    expect((await count(key)).status).toBe(403)
  })
})

describe('a favourite room', () => {
  const mark = (route: 'addFavorite' | 'removeFavorite', cid: string, principal = tenant.member) =>
    api.call(platformRoutes[route], principal, { params: { cid } })
  const listed = async (query: Record<string, string> = {}, principal = tenant.member) => {
    const { body } = await api.call(chatroomJobsRoutes.listChatroomsByJob, principal, { query })
    return body.map(({ chatroom_id }) => chatroom_id)
  }

  it('comes first in the lists of the person who marked it', async () => {
    const { companyId, member, roomManager } = tenant
    const rooms: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const id = await makeRoom(db, tenant)
      await db
        .updateTable('chatrooms')
        .set({ name: `${name}-${id}`, jobs: ['sandbox'] })
        .where('id', '=', id)
        .execute()
      for (const { principalId } of [member, roomManager])
        await addMember(db, { companyId, roomId: id, userId: principalId })
      rooms.push(id)
    }
    const [a = '', b = '', c = ''] = rooms
    expect(await listed()).toEqual([a, b, c])
    for (const _ of ['once', 'again'])
      expect(await mark('addFavorite', c)).toMatchObject({
        status: 200,
        body: { chatroom_id: c, favorite: true },
      })
    expect(await listed()).toEqual([c, a, b])
    expect(await listed({ order: 'desc' })).toEqual([c, b, a])
    expect(await listed({ limit: '1' })).toEqual([c])
    expect(await listed({}, roomManager)).toEqual([a, b, c])
    for (const _ of ['once', 'again'])
      expect((await mark('removeFavorite', c)).body).toEqual({ chatroom_id: c, favorite: false })
    expect(await listed()).toEqual([a, b, c])
  })

  it('is one that the person may enter, and counts to what the company keeps', async () => {
    expect((await mark('addFavorite', tenant.roomId, tenant.stranger)).status).toBe(404)
    expect((await mark('addFavorite', (await makeTenant(db)).roomId)).status).toBe(404)
    await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit: 1 })
    const refused = await mark('addFavorite', tenant.roomId)
    expect([refused.status, codeOf(refused)]).toEqual([409, 'storage_quota_exceeded'])
    const rows = db
      .selectFrom('favorite_chatrooms')
      .select('user_id')
      .where('company_id', '=', tenant.companyId)
    expect(await rows.execute()).toEqual([])
  })
})
