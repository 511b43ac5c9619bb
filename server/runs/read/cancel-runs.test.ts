import { foundRunRoutes } from '@sandbox-jobs/contract/routes/found-run-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)

let tenant: Awaited<ReturnType<typeof makeTenant>>
let task: RunnableTask
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const running = { state: 'running', worker: 'w', sandbox_id: 's' } as const
const make = (fields: object = {}, room = tenant.roomId) =>
  makeRun(db, task, { chatroom_id: room, ...fields })
const cancel = (person: Principal, expected: number, filter: object = {}, dry_run = false) =>
  api.call(foundRunRoutes.cancelRuns, person, { body: { filter, expected, dry_run } })
const stateOf = async (id: string) =>
  (await db.selectFrom('runs').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state

it('cancels the runs that match: those of the queue at once, started ones when they have ended', async () => {
  const [queued, started, ended] = [
    await make(),
    await make(running),
    await make({ state: 'completed', exit_code: 0, terminal_at: new Date() }),
  ]
  expect((await cancel(tenant.member, 2)).body).toEqual({ cancelled: 2, left: 0 })
  expect([await stateOf(queued), await stateOf(started), await stateOf(ended)]).toEqual([
    'cancelled',
    'cancel_requested',
    'completed',
  ])
})

it('leaves a run alone whose end somebody has requested: a second request would kill it', async () => {
  await make({ ...running, state: 'cancel_requested', cancel_requested_at: new Date() })
  expect((await cancel(tenant.member, 0)).body).toEqual({ cancelled: 0, left: 0 })
})

it('cancels none when more match than the caller expects, up to a tenth over it', async () => {
  const ids = []
  for (let made = 0; made < 12; made += 1) ids.push(await make())
  const refused = await cancel(tenant.member, 10)
  expect([refused.status, refused.body]).toMatchObject([409, { detail: { code: 'selection_changed' } }])
  expect(await stateOf(ids[0] ?? '')).toBe('queued')
  expect((await cancel(tenant.member, 11)).body).toEqual({ cancelled: 12, left: 0 })
})

it('counts without a change when it is asked to', async () => {
  const id = await make()
  expect((await cancel(tenant.member, 0, {}, true)).body).toEqual({ cancelled: 0, left: 1 })
  expect(await stateOf(id)).toBe('queued')
})

it('takes the filters of a list, and ids', async () => {
  const [first, second] = [await make(), await make()]
  const started = await make(running)
  expect((await cancel(tenant.member, 1, { status: ['running'] })).body).toEqual({ cancelled: 1, left: 0 })
  expect(await stateOf(started)).toBe('cancel_requested')
  expect((await cancel(tenant.member, 1, { ids: [second] })).body).toEqual({ cancelled: 1, left: 0 })
  expect([await stateOf(first), await stateOf(second)]).toEqual(['queued', 'cancelled'])
})

it('reaches the rooms of the caller alone, and no other company', async () => {
  const elsewhere = await make({}, await makeRoom(db, tenant))
  const other = await makeTenant(db)
  for (const person of [tenant.member, other.companyManager]) {
    expect((await cancel(person, 9, { ids: [elsewhere] })).body).toEqual({ cancelled: 0, left: 0 })
  }
  expect(await stateOf(elsewhere)).toBe('queued')
  expect((await cancel(tenant.companyManager, 1)).body).toEqual({ cancelled: 1, left: 0 })
})

it('cancels a bounded number in one request, the queue before what has started', async () => {
  const started = await make(running)
  for (let made = 0; made < 200; made += 1) await make()
  expect((await cancel(tenant.member, 201)).body).toEqual({ cancelled: 200, left: 1 })
  expect(await stateOf(started)).toBe('running')
  expect((await cancel(tenant.member, 1)).body).toEqual({ cancelled: 1, left: 0 })
})

it('serves one such request of a company at a time', async () => {
  for (let made = 0; made < 20; made += 1) await make()
  const answers = await Promise.all([1, 2].map(() => cancel(tenant.member, 20)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429])
})
