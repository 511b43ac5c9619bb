import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { accountRoutes } from '@sandbox-jobs/contract/routes/account-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { TableSteps } from '../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const holder = connect(url, { poolSize: 2, log, name: 'holder' })
afterAll(() => holder.destroy())

/** Locks all tables of a company until the returned function is called. */
async function lockTables(companyId: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended = holder.transaction().execute(async (trx) => {
    await trx
      .selectFrom('custom_tables')
      .select('id')
      .where('company_id', '=', companyId)
      .forUpdate()
      .execute()
    held.resolve()
    await promise
  })
  await held.promise
  return () => {
    resolve()
    return ended
  }
}

async function lockWaiters(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(holder)
  return rows[0]?.count ?? 0
}

const setUp = async (api: TestApi, count: number) => {
  const tables = new TableSteps(api)
  const [hostile, quiet] = [await makeTenant(db), await makeTenant(db)]
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) {
    const table = await tables.create(hostile.departmentManager, hostile.departmentId, { name: `t${at}` })
    ids.push(table.id)
  }
  const write = (id: string) =>
    tables.call<TableRow>(tableRowRoutes.createRow, hostile.departmentManager, {
      params: { id },
      body: { values: { order_id: 'a' } },
    })
  const askMe = () => api.call(accountRoutes.readMe, quiet.departmentManager, {})
  return { hostile, ids, write, askMe }
}

it('requests that wait for one table have one connection together', async () => {
  const { hostile, ids, write, askMe } = await setUp(new TestApi(db), 1)
  const release = await lockTables(hostile.companyId)
  const writes = Array.from({ length: 100 }, () => write(String(ids[0])))
  expect((await askMe()).status).toBe(200)
  while ((await lockWaiters()) === 0) await askMe()
  // Many requests later it is still one.
  for (let at = 0; at < 20; at += 1) expect((await askMe()).status).toBe(200)
  expect(await lockWaiters()).toBe(1)
  await release()
  expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([200]))
})

it('requests of one company that wait for many tables leave connections to others', async () => {
  const { hostile, ids, write, askMe } = await setUp(new TestApi(db), 12)
  const release = await lockTables(hostile.companyId)
  const writes = [...ids, ...ids].map(write)
  expect((await askMe()).status).toBe(200)
  while ((await lockWaiters()) === 0) await askMe()
  for (let at = 0; at < 20; at += 1) expect((await askMe()).status).toBe(200)
  // Two thirds of ten.
  expect(await lockWaiters()).toBeLessThanOrEqual(7)
  await release()
  expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([200]))
})

it('a lock that is held too long is answered with a code', async () => {
  const impatient = connect(url, { poolSize: 6, log, name: 'impatient', waitMs: 200 })
  const { hostile, ids, write } = await setUp(new TestApi(impatient), 1)
  const release = await lockTables(hostile.companyId)
  const answer = await write(String(ids[0]))
  expect([answer.status, answer.body]).toMatchObject([503, { detail: { code: 'database_unavailable' } }])
  await release()
  expect((await write(String(ids[0]))).status).toBe(200)
  await impatient.destroy()
})
