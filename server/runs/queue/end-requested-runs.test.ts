import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { endRequestedRuns } from './end-requested-runs.ts'
import { insertRunEndRequest, listRunEndRequests } from './run-end-request-store.ts'

const { db } = await createTestDatabase()

let tenant: Awaited<ReturnType<typeof makeTenant>>
let task: Awaited<ReturnType<typeof makeRunnableTask>>
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const make = (columns: object = {}) => makeRun(db, task, { chatroom_id: tenant.roomId, ...columns })
const running = { state: 'running', worker: 'w', executor: 'e', sandbox_id: 's' }
const request = (run_id: string | null) =>
  insertRunEndRequest(db, { company_id: tenant.companyId, run_id, account: 'grace' })
async function states(): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'state'])
    .where('company_id', '=', tenant.companyId)
    .execute()
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
}

it('a run that waits ends, one at work is to end at once, and others go on', async () => {
  const [waiting, atWork, other] = [await make(), await make(running), await make(running)]
  await request(waiting)
  await request(atWork)
  expect(await endRequestedRuns(db)).toBe(2)
  expect(await states()).toEqual({ [waiting]: 'cancelled', [atWork]: 'cancel_requested', [other]: 'running' })
  expect(await listRunEndRequests(db, 1)).toEqual([])
})

it('a queue is emptied of what waited when it was requested, however long it is', async () => {
  const waiting = await Promise.all(Array.from({ length: 120 }, () => make()))
  const atWork = await make(running)
  await request(null)
  const later = await make()
  const neighbour = await makeTenant(db)
  const others = await makeRunnableTask(db, neighbour.companyId)
  const foreign = await makeRun(db, others, { chatroom_id: neighbour.roomId })
  await endRequestedRuns(db)
  expect(await states()).toEqual({
    ...Object.fromEntries(waiting.map((id) => [id, 'cancelled'])),
    ...{ [atWork]: 'running', [later]: 'queued' },
  })
  const { state } = await db
    .selectFrom('runs')
    .select('state')
    .where('company_id', '=', neighbour.companyId)
    .where('id', '=', foreign)
    .executeTakeFirstOrThrow()
  expect(state).toBe('queued')
})

it('a request that a worker did not finish is continued, and one for a run that has ended changes nothing', async () => {
  const waiting = await make()
  await request(waiting)
  await request(waiting)
  const stopping = AbortSignal.abort()
  await endRequestedRuns(db, stopping)
  expect(await listRunEndRequests(db, 10)).toHaveLength(2)
  await Promise.all([endRequestedRuns(db), endRequestedRuns(db)])
  expect(await states()).toEqual({ [waiting]: 'cancelled' })
  expect(await listRunEndRequests(db, 10)).toEqual([])
})

it('the audit log of the company names the operator', async () => {
  await request(await make())
  await endRequestedRuns(db)
  const { rows } = await sql<{ context: string }>`
    select context from audit_pending where company_id = ${tenant.companyId} and to_state = 'cancelled'`.execute(
    db,
  )
  expect(rows.map(({ context }) => JSON.parse(context))).toEqual([
    { action: 'run_end', actor_type: 'operator', actor_id: 'grace' },
  ])
})
