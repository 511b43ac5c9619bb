import { randomUUID } from 'node:crypto'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { usageRoutes } from '@sandbox-jobs/contract/routes/usage-routes.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { applyTestPrices } from '../../../testing/factories/prices.ts'
import { makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { usageCsv } from './usage-report.ts'
import { foldUsage } from './usage-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db)
  return rows.length
}

/** A run that ended after 100 s, queued on a day. */
async function endRun(day: string): Promise<void> {
  const { id } = await api.must(runRoutes.submitRun, tenant.member, {
    params: { cid: tenant.roomId },
    headers: { 'idempotency-key': randomUUID() },
    body: { task_version_id: task.versionId, input: {}, timeout_seconds: 300 },
  })
  await sql`update runs set queued_at = ${day}::timestamptz where id = ${id} and company_id = ${tenant.companyId}`.execute(
    db,
  )
  await sql`update runs set state = 'customer_failed', started_at = ${day}::timestamptz, measured_egress_bytes = 1024,
    terminal_at = ${day}::timestamptz + interval '99.5 s' where id = ${id} and company_id = ${tenant.companyId}`.execute(
    db,
  )
}

beforeAll(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  await endRun('2026-03-01T23:59:59Z')
  await applyTestPrices(db)
  await endRun('2026-03-02T00:00:00Z')
  await endRun('2026-03-02T12:00:00Z')
})

const report = (query: object, principal = tenant.companyManager) =>
  api.call(usageRoutes.readUsageReport, principal, {
    query: { from: '2026-03-01', to: '2026-03-31', ...query },
  })

const used = (count: number, cost: string) => ({
  count,
  seconds: count * 100,
  ingress_bytes: 0,
  egress_bytes: count * 1024,
  cost,
})

describe('a usage report', () => {
  it('adds what ended by day, with and without a price, before and after it is folded', async () => {
    const { body } = await report({})
    expect(body.items).toMatchObject([
      { day: '2026-03-01', kind: 'run', ...used(1, '0.000000') },
      { day: '2026-03-02', kind: 'run', ...used(2, '0.002002') },
    ])
    await foldUsage({ db })()
    expect((await report({})).body).toEqual(body)
    await endRun('2026-03-02T13:00:00Z')
    expect((await report({ from: '2026-03-02' })).body.items).toMatchObject([
      { day: '2026-03-02', ...used(3, '0.003003') },
    ])
  })

  it('is by task, room, department and person, with their names now', async () => {
    const { body } = await report({ by: ['task', 'room', 'department', 'person'] })
    expect(body.items).toEqual([
      {
        day: null,
        kind: 'run',
        subject_id: task.taskId,
        subject_name: 'Report',
        chatroom_id: tenant.roomId,
        chatroom_name: expect.any(String),
        department_id: tenant.departmentId,
        department_name: expect.any(String),
        principal_type: 'user',
        principal_id: tenant.member.principalId,
        principal_name: expect.any(String),
        ...used(4, '0.003003'),
      },
    ])
  })

  it('is the same sum by any of them, and nothing of another company', async () => {
    for (const by of ['day', 'task', 'room', 'department', 'person']) {
      const { items } = (await report({ by: [by] })).body
      expect(items.reduce((sum: number, item: { seconds: number }) => sum + item.seconds, 0)).toBe(400)
    }
    const other = await makeTenant(db)
    expect((await report({}, other.companyManager)).body.items).toEqual([])
  })

  it('is refused below company manager, and for days that are none or too many', async () => {
    expect((await report({}, tenant.member)).status).toBe(403)
    for (const range of [
      { from: '2026-02-30' },
      { to: '2026-13-01' },
      { from: '2026-04-01' },
      { from: '2025-03-30' },
      { from: '2026-3-1' },
      { by: ['week'] },
    ])
      expect((await report(range)).status).toBe(422)
    expect((await report({ from: '2025-03-31' })).status).toBe(200)
  })

  it('is read twice at once by one company at most, and by others meanwhile', async () => {
    // Companies that have used none of their event loop time: their requests start at once.
    const [busy, other] = [(await makeTenant(db)).companyManager, (await makeTenant(db)).companyManager]
    const { reading, refused } = await db.transaction().execute(async (trx) => {
      await sql`lock table usage_days in access exclusive mode`.execute(trx)
      const waiting = [report({}, busy), report({}, busy), report({}, other)]
      // A report that is answered now did not wait for the table: the others would be waited for in vain.
      const early = Promise.race(waiting).then(({ status, body }) => {
        throw new Error(`a report did not wait: ${status} ${JSON.stringify(body)}`)
      })
      const allWait = async () => expect(await waitingForLocks()).toBe(waiting.length)
      await Promise.race([eventually(allWait), early])
      return { reading: waiting, refused: await report({}, busy) }
    })
    expect([refused.status, refused.body]).toMatchObject([429, { detail: { code: 'usage_busy' } }])
    for (const { status } of await Promise.all(reading)) expect(status).toBe(200)
    expect((await report({}, busy)).status).toBe(200)
  })

  it('is downloaded as CSV', async () => {
    const query = { by: ['day'], from: '2026-03-01', to: '2026-03-01' }
    const answer = await api.call(usageRoutes.downloadUsageReport, tenant.companyManager, { query })
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.text.split('\r\n')[1]).toBe('2026-03-01,run,,,,,,,,,,1,100,0,1024,0.000000')
  })
})

it('a name in CSV is quoted, and is no formula', () => {
  const item = {
    ...{
      day: null,
      kind: 'run' as const,
      subject_id: 'a',
      subject_name: '=HYPERLINK("x")',
      chatroom_id: 'b',
    },
    ...{ chatroom_name: 'a,"b"\n', department_id: '', department_name: '@c', principal_type: 'user' },
    ...{
      principal_id: '',
      principal_name: '-1',
      count: 1,
      seconds: 2,
      ingress_bytes: 3,
      egress_bytes: 4,
      cost: '5',
    },
  } as const
  expect(usageCsv({ items: [item] }).slice(usageCsv({ items: [] }).length)).toBe(
    `,run,a,"'=HYPERLINK(""x"")",b,"a,""b""\n",,'@c,user,,'-1,1,2,3,4,5\r\n`,
  )
})
