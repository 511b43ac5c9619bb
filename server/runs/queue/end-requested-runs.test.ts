import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { endRequestedRuns } from './end-requested-runs.ts'
import { requestEmptyQueue, requestRunEnd } from './request-run-ends.ts'
import { listRunEndRequests, putRunEndRequest } from './run-end-request-store.ts'

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
  putRunEndRequest(db, { company_id: tenant.companyId, run_id, account: 'grace' }, 100)
const log = createLog('test', 'silent')
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
  await endRequestedRuns(db, log)
  expect(await states()).toEqual({ [waiting]: 'cancelled', [atWork]: 'cancel_requested', [other]: 'running' })
  expect(await listRunEndRequests(db)).toEqual([])
})

it('a queue is emptied of what waited when it was requested, however long it is', async () => {
  const waiting = await Promise.all(Array.from({ length: 120 }, () => make()))
  const atWork = await make(running)
  await request(null)
  const later = await make()
  const neighbour = await makeTenant(db)
  const others = await makeRunnableTask(db, neighbour.companyId)
  const foreign = await makeRun(db, others, { chatroom_id: neighbour.roomId })
  await endRequestedRuns(db, log)
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
  const stopping = AbortSignal.abort()
  await endRequestedRuns(db, log, stopping)
  expect(await listRunEndRequests(db)).toHaveLength(1)
  await Promise.all([endRequestedRuns(db, log), endRequestedRuns(db, log)])
  expect(await states()).toEqual({ [waiting]: 'cancelled' })
  expect(await listRunEndRequests(db)).toEqual([])
})

it('a request does not wait for the long queue of an earlier one', async () => {
  await Promise.all(Array.from({ length: 120 }, () => make()))
  await request(null)
  const neighbour = await makeTenant(db)
  const others = await makeRunnableTask(db, neighbour.companyId)
  const foreign = await makeRun(db, others, { chatroom_id: neighbour.roomId })
  await requestRunEnd(db, foreign, 'grace')
  await endRequestedRuns(db, log)
  const endOf = async (companyId: string) => {
    const ends = db.selectFrom('runs').where('company_id', '=', companyId)
    const { at } = await ends.select(({ fn }) => fn.max('terminal_at').as('at')).executeTakeFirstOrThrow()
    return at?.getTime()
  }
  expect(await endOf(neighbour.companyId)).toBeLessThan((await endOf(tenant.companyId)) ?? 0)
})

it('a request that fails keeps no other from its end, and is tried again', async () => {
  const [failing, other] = [await make(), await make()]
  await request(failing)
  await request(other)
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`.execute(
    db,
  )
  await sql`create trigger refused before update on runs for each row when (old.id = ${sql.lit(failing)}) execute function refuse()`.execute(
    db,
  )
  await endRequestedRuns(db, log)
  expect(await states()).toEqual({ [failing]: 'queued', [other]: 'cancelled' })
  await sql`drop trigger refused on runs`.execute(db)
  await endRequestedRuns(db, log)
  expect(await states()).toEqual({ [failing]: 'cancelled', [other]: 'cancelled' })
})

it('what is asked for again is one request, and a queue is emptied of what waits at the last time', async () => {
  const first = await make()
  expect(await requestEmptyQueue(db, tenant.companyId, 'grace')).toBe(1)
  const second = await make()
  expect(await requestEmptyQueue(db, tenant.companyId, 'ada')).toBe(2)
  for (const _ of [1, 2]) await requestRunEnd(db, first, 'grace')
  expect((await listRunEndRequests(db)).map(({ run_id, account }) => [run_id, account])).toEqual([
    [null, 'ada'],
    [first, 'grace'],
  ])
  await endRequestedRuns(db, log)
  expect(await states()).toEqual({ [first]: 'cancelled', [second]: 'cancelled' })
  expect(await listRunEndRequests(db)).toEqual([])
})

it('requests are bounded, except that one can be renewed', async () => {
  const { companyId: company_id } = tenant
  const put = (run_id: string | null) => putRunEndRequest(db, { company_id, run_id, account: 'grace' }, 2)
  expect([await put('run_1'), await put(null), await put('run_2'), await put(null)]).toEqual([
    true,
    true,
    false,
    true,
  ])
  await sql`insert into run_end_requests (company_id, run_id, account)
    select ${company_id}, 'run_of_' || at, 'grace' from generate_series(1, 998) at`.execute(db)
  const waiting = await make()
  await expect(requestRunEnd(db, waiting, 'grace')).rejects.toMatchObject({ code: 'run_ends_full' })
  await endRequestedRuns(db, log)
  expect(await requestRunEnd(db, waiting, 'grace')).toBe(company_id)
  await endRequestedRuns(db, log)
})

it('the audit log of the company names the operator', async () => {
  await request(await make())
  await endRequestedRuns(db, log)
  const { rows } = await sql<{ context: string }>`
    select context from audit_pending where company_id = ${tenant.companyId} and to_state = 'cancelled'`.execute(
    db,
  )
  expect(rows.map(({ context }) => JSON.parse(context))).toEqual([
    { action: 'run_end', actor_type: 'operator', actor_id: 'grace' },
  ])
})
