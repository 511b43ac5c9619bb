import { foundRunRoutes } from '@sandbox-jobs/contract/routes/found-run-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const { companyId, roomId, companyManager, member } = tenant
const otherRoomId = await makeRoom(db, tenant)
const task = await makeRunnableTask(db, companyId)
const start = Date.parse('2026-11-20T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000)

/** The ids of runs a second apart, the newest first. */
const ids: string[] = []
for (let second = 0; second < 7; second += 1) {
  const room = second === 3 ? otherRoomId : roomId
  ids.unshift(await makeRun(db, task, { chatroom_id: room, queued_at: at(second) }))
}

const find = (person: Principal, query: Record<string, string> = {}) =>
  api.must(foundRunRoutes.findRuns, person, { query })
const idsOf = async (person: Principal, query: Record<string, string>) =>
  (await find(person, query)).items.map(({ id }) => id)

it('lists any part of the runs, with their number and names', async () => {
  expect(await idsOf(companyManager, {})).toEqual(ids)
  expect(await idsOf(companyManager, { offset: '2', limit: '3' })).toEqual(ids.slice(2, 5))
  expect(await idsOf(companyManager, { offset: '6', limit: '3' })).toEqual(ids.slice(6))
  expect(await find(companyManager, { offset: '500' })).toMatchObject({ items: [], total: 7 })
  const [first] = (await find(companyManager)).items
  expect(first).toMatchObject({
    id: ids[0],
    status: 'queued',
    started_at: null,
    queued_at: at(6).toISOString(),
  })
  expect([first?.task_name, first?.chatroom_name]).not.toContain('')
})

it('lists the runs of the rooms of the caller alone', async () => {
  const own = ids.filter((_, index) => index !== 3)
  expect(await idsOf(member, { offset: '1', limit: '4' })).toEqual(own.slice(1, 5))
  expect((await find(member)).total).toBe(6)
  expect(await idsOf((await makeTenant(db)).companyManager, {})).toEqual([])
})

it('keeps its rows where they are while runs are submitted', async () => {
  const { as_of: queued_before } = await find(companyManager)
  const later = new Date(Date.parse(queued_before))
  const id = await makeRun(db, task, { chatroom_id: roomId, queued_at: later })
  expect(await idsOf(companyManager, { queued_before })).toEqual(ids)
  expect(await find(companyManager, { queued_after: queued_before, limit: '1' })).toMatchObject({
    items: [{ id }],
    total: 1,
  })
})

it('refuses a part that is too long or too far', async () => {
  for (const [name, value] of [
    ['limit', '501'],
    ['limit', '0'],
    ['offset', '99501'],
    ['offset', '-1'],
  ] as const)
    expect(
      (await api.call(foundRunRoutes.findRuns, companyManager, { query: { [name]: value } })).status,
    ).toBe(422)
})
