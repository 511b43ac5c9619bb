import { runInputRoutes } from '@sandbox-jobs/contract/routes/run-input-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const foreign = await makeTenant(db)
const { companyId: company_id, roomId: cid } = tenant
const task = await makeRunnableTask(db, company_id)

type Fields = Partial<Parameters<typeof makeRun>[2]>
const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() } as const
const text = '{"n":1.0e2,"who":"\\u00e9","__proto__":[]}'
const runOf = ({ principalId: principal_id }: { principalId: string }, fields: Fields = {}) =>
  makeRun(db, task, { chatroom_id: cid, principal_id, ...ended, ...fields }, Buffer.from(text))

it('whoever may read the result of a run reads its input as it was stored, to be kept by nobody', async () => {
  const rid = await runOf(tenant.member)
  const answer = await api.call(runInputRoutes.readRunInput, tenant.roomManager, { params: { cid, rid } })
  expect([answer.status, answer.text]).toEqual([200, text])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })
})

it('an input that was deleted, or that a stranger asks for, is not found', async () => {
  const rid = await runOf(tenant.member)
  const read = async (caller: typeof tenant.member) =>
    (await api.call(runInputRoutes.readRunInput, caller, { params: { cid, rid } })).status
  expect(await read(tenant.member)).toBe(200)
  expect(await read(foreign.member)).toBe(404)
  await db.deleteFrom('run_inputs').where('run_id', '=', rid).where('company_id', '=', company_id).execute()
  expect(await read(tenant.member)).toBe(404)
})

it('the last run of a task is the newest that the caller made in the room', async () => {
  const last = async (caller: typeof tenant.member, task_id = task.taskId) =>
    (await api.must(runInputRoutes.readLastRun, caller, { params: { cid }, query: { task_id } })).run?.id
  const other = await makeRunnableTask(db, company_id)
  await runOf(tenant.member, { queued_at: new Date('2026-12-31T10:00:00Z') })
  const newest = await runOf(tenant.member, { queued_at: new Date('2026-12-31T11:00:00Z') })
  await runOf(tenant.roomManager, { queued_at: new Date('2026-12-31T12:00:00Z') })
  expect(await last(tenant.member)).toBe(newest)
  expect(await last(tenant.member, other.taskId)).toBeUndefined()
  expect(await last(tenant.member, 'tsk_nothing')).toBeUndefined()
})

it('rooms are listed with what goes on in them now', async () => {
  const busy = await makeTenant(db)
  const job = await makeRunnableTask(db, busy.companyId)
  const at = new Date('2026-12-31T10:00:00Z')
  const make = (fields: Fields) => makeRun(db, job, { chatroom_id: busy.roomId, ...fields })
  const list = async (caller: typeof busy.member) =>
    (await api.must(runInputRoutes.listRoomOverviews, caller)).items
  expect(await list(busy.member)).toEqual([
    expect.objectContaining({ id: busy.roomId, jobs: 0, running: 0, queued: 0, last_run_at: null }),
  ])
  await make({ ...ended, queued_at: at })
  await make({ queued_at: at })
  await make({ queued_at: at })
  await make({ state: 'running', worker: 'w', sandbox_id: 's', executor: 'e', queued_at: at })
  expect(await list(busy.member)).toEqual([
    expect.objectContaining({ manages: false, running: 1, queued: 2, last_run_at: at.toISOString() }),
  ])
  expect((await list(foreign.member)).map(({ id }) => id)).not.toContain(busy.roomId)
})
