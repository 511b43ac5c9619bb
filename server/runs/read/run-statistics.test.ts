import { managementRoutes } from '@sandbox-jobs/contract/routes/management-routes.ts'
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
const dayMs = 86_400_000
const start = new Date('2026-11-20T00:00:00Z')
const at = (days: number, seconds = 0) => new Date(start.getTime() + days * dayMs + seconds * 1000)

/** A run that is queued at the start of a day, waits and runs so many seconds. */
const run = (
  room: string,
  days: number,
  [wait, ran]: [number, number],
  state: 'completed' | 'customer_failed' = 'completed',
) =>
  makeRun(db, task, {
    ...{ chatroom_id: room, state, queued_at: at(days) },
    ...{ started_at: at(days, wait), terminal_at: at(days, wait + ran) },
    ...(state === 'completed' && { exit_code: 0 }),
  })
const count = (person: Principal, query: object = {}) =>
  api.must(managementRoutes.countRuns, person, {
    query: { queued_after: start.toISOString(), queued_before: at(9).toISOString(), ...query },
  })

await run(roomId, 1, [1, 10])
await run(roomId, 1, [3, 30], 'customer_failed')
await run(roomId, 4, [2, 20])
await makeRun(db, task, { chatroom_id: otherRoomId, queued_at: at(4) })

it('counts runs by day and state, with their waits and durations', async () => {
  expect(await count(companyManager)).toEqual({
    from: start.toISOString(),
    bucket: 'day',
    items: [
      {
        at: at(1).toISOString(),
        by_status: { completed: 1, customer_failed: 1 },
        wait: { p50: 1000, p95: 3000 },
        run: { p50: 10_000, p95: 30_000 },
      },
      {
        at: at(4).toISOString(),
        by_status: { completed: 1, queued: 1 },
        wait: { p50: 2000, p95: 2000 },
        run: { p50: 20_000, p95: 20_000 },
      },
    ],
    truncated: false,
  })
})

it('counts the runs that match, of the rooms of the caller alone', async () => {
  const days = async (person: Principal, query = {}) =>
    (await count(person, query)).items.map(({ by_status }) => by_status)
  expect(await days(member)).toEqual([{ completed: 1, customer_failed: 1 }, { completed: 1 }])
  expect(await days(companyManager, { status: ['customer_failed'] })).toEqual([{ customer_failed: 1 }])
  expect(await days(companyManager, { chatroom_id: otherRoomId })).toEqual([{ queued: 1 }])
  expect(await days(member, { chatroom_id: otherRoomId })).toEqual([])
  expect(await days((await makeTenant(db)).companyManager)).toEqual([])
})

it('has no waits of runs that have not started', async () => {
  const { items } = await count(companyManager, { status: ['queued'] })
  expect(items).toMatchObject([{ by_status: { queued: 1 }, wait: null, run: null }])
})

it('refuses more hours than an answer may have', async () => {
  const query = { queued_after: start.toISOString(), queued_before: at(20).toISOString(), bucket: 'hour' }
  expect((await api.call(managementRoutes.countRuns, companyManager, { query })).status).toBe(422)
})

it('counts the last days if no time is given', async () => {
  await run(roomId, (Date.now() - start.getTime()) / dayMs - 1, [1, 1])
  const { items } = await api.must(managementRoutes.countRuns, companyManager)
  expect(items.at(-1)).toMatchObject({ by_status: { completed: 1 } })
})

it('reads no more than two at once for a company', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => api.call(managementRoutes.countRuns, companyManager)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
})
