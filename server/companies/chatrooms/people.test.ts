import { peopleRoutes } from '@sandbox-jobs/contract/routes/people-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeDepartment, makeRoom, makeUser } from '../../../testing/factories/platform.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const foreign = await makeTenant(db)
const { companyId, roomId } = tenant
const otherDepartment = await makeDepartment(db, companyId)
const otherRoom = await makeRoom(db, { companyId, departmentId: otherDepartment })
const stranger = await makeUser(db, companyId, { memberOf: [otherRoom] })
const otherManager = await makeUser(db, companyId, { role: 2, manages: [otherDepartment] })
const leader = await makeUser(db, companyId, { role: 3 })

const namesFor = async (caller: Principal, ids: string[]) =>
  (await api.must(peopleRoutes.readNames, caller, { query: { ids } })).items.map(({ id }) => id).toSorted()

it('a member reads the names of the people of a room, and who manages it', async () => {
  const { items } = await api.must(peopleRoutes.listRoomPeople, tenant.member, { params: { cid: roomId } })
  expect(items).toContainEqual({
    id: tenant.member.principalId,
    display_name: expect.any(String),
    manages: false,
  })
  expect(items).toContainEqual(expect.objectContaining({ id: tenant.roomManager.principalId, manages: true }))
})

it('people of a room are read in pages', async () => {
  const params = { cid: roomId }
  const first = await api.must(peopleRoutes.listRoomPeople, tenant.member, {
    params,
    query: { page_size: '1' },
  })
  const query = { page_size: '1', page_token: String(first.next_page_token) }
  const second = await api.must(peopleRoutes.listRoomPeople, tenant.member, { params, query })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(
    [tenant.member.principalId, tenant.roomManager.principalId].toSorted(),
  )
})

it('a room that the caller may not enter has no people for them', async () => {
  const answer = await api.call(peopleRoutes.listRoomPeople, stranger, { params: { cid: roomId } })
  expect(answer.status).toBe(404)
})

it('a member reads names of people of their rooms and of those who manage these, and no others', async () => {
  const manager = await makeUser(db, companyId, { role: 2, manages: [tenant.departmentId] })
  const known = [tenant.roomManager, manager, leader].map(({ principalId }) => principalId)
  const unknown = [stranger, otherManager, foreign.member].map(({ principalId }) => principalId)
  expect(await namesFor(tenant.member, [...known, ...unknown, 'usr_nobody'])).toEqual(known.toSorted())
})

it('a company manager reads the names of everybody in the company', async () => {
  const ids = [stranger, otherManager, tenant.member].map(({ principalId }) => principalId)
  expect(await namesFor(leader, [...ids, foreign.member.principalId])).toEqual(ids.toSorted())
})

it('external people are named in the rooms that they are in, by their names there', async () => {
  const makeClient = async (chatroom_id: string) => {
    const id = newId('socialClient')
    const client = {
      id,
      company_id: companyId,
      chatroom_id,
      channel: 'line',
      client_id: id,
      display_name: 'Mei',
    }
    await db.insertInto('social_media_clients').values(client).execute()
    return id
  }
  const [here, there] = [await makeClient(roomId), await makeClient(otherRoom)]
  const { items } = await api.must(peopleRoutes.readNames, tenant.member, { query: { ids: [here, there] } })
  expect(items).toEqual([{ id: here, kind: 'social_media_client', name: 'Mei' }])
})

it('one request names at most a hundred', async () => {
  const ids = Array.from({ length: 101 }, (_, at) => `usr_${at}`)
  expect((await api.call(peopleRoutes.readNames, tenant.member, { query: { ids } })).status).toBe(422)
})
