import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { processUse } from '../../../agent/host/process-use.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { FakeExecutor } from '../../../testing/fake-executor/fake-executor.ts'
import { countRequest } from '../../http/requests/request-metrics.ts'
import { agentMetrics } from './agent-metrics.ts'
import { MetricsPage } from './metrics-page.ts'
import { saveReport } from './metrics-report-store.ts'
import { measureProcess, ownMetrics } from './own-metrics.ts'
import { readServiceFigures } from './service-figures-store.ts'
import { refreshServiceGauges } from './service-gauges.ts'

const { db } = await createTestDatabase()
measureProcess('api')
const executor = new FakeExecutor(() => ({ exitCode: 0 }) as never)
const refresh = () => refreshServiceGauges({ db, executor, dataDir: '/', diskFloorBytes: undefined })
/** The same values as those of a process without a listener. */
const workerReport = async (process = 'worker') => {
  const own = (await ownMetrics()).filter(({ name }) => !name.startsWith('sandbox_http'))
  return JSON.parse(JSON.stringify(own).replaceAll('"process":"api"', `"process":"${process}"`))
}
const ofWorker = { executor: '1'.repeat(32), process: 'worker' } as const
const read = async () => (await new MetricsPage(db).read()).text

test('the page has each family once, with the values of each process', async () => {
  await refresh()
  await saveReport(db, ofWorker, [...(await workerReport()), ...agentMetrics(processUse())])
  const { contentType, text } = await new MetricsPage(db).read()
  expect(contentType).toContain('application/openmetrics-text')
  expect(text.endsWith('# EOF\n')).toBe(true)
  const ofProcess = ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']
  const names = { api: ofProcess, worker: [...ofProcess, 'sandbox_audit_lag_seconds'], agent: ofProcess }
  for (const [process, of] of Object.entries(names))
    for (const name of of)
      expect(text).toMatch(new RegExp(`^${name}\\{process="${process}"\\} [\\d.e+-]+$`, 'm'))
  const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(new Set(types).size).toBe(types.length)
  expect(text).toContain('sandbox_database_up{process="api"} 1')
})

test('the report of a process that has died is left out, and its age is shown', async () => {
  await saveReport(db, ofWorker, await workerReport())
  await sql`update process_metrics set reported_at = now() - interval '31 seconds'`.execute(db)
  const text = await read()
  expect(text).not.toContain('process="worker"')
  expect(text).toMatch(/^sandbox_process_report_age_seconds\{reporter="worker",process="api"\} 31/m)
})

test('values of several executors have their names, and are not added', async () => {
  await refresh()
  const other = { executor: '2'.repeat(32), process: 'worker' } as const
  for (const reporter of [ofWorker, other]) await saveReport(db, reporter, await workerReport())
  const text = await read()
  for (const digits of ['11111111', '22222222'])
    expect(text).toMatch(
      new RegExp(`^sandbox_database_lock_waits\\{(?=.*executor="${digits}").*process="worker".*\\} `, 'm'),
    )
  await sql`delete from process_metrics where executor = ${other.executor}`.execute(db)
  expect(await read()).not.toContain('executor=')
})

test('without a database the API still shows its own metrics', async () => {
  const broken = { getExecutor: () => expect.fail('no database') }
  const { text } = await new MetricsPage(broken as never).read()
  expect(text).toContain('sandbox_database_up{process="api"} 0')
})

test('with a thousand companies a page is small and costs one statement, however often somebody asks', async () => {
  await sql`/* across companies: a test */ insert into companies (id, name)
    select 'cmp_' || lpad(to_hex(n), 32, '0'), 'c' || n from generate_series(1, 1000) n`.execute(db)
  for (const { method, path } of Object.values(allRoutes))
    for (const status of [200, 404, 500]) countRequest({ method, route: path, status, ms: 100 })
  await refresh()
  await saveReport(db, ofWorker, await workerReport())
  await saveReport(db, { ...ofWorker, process: 'builds' }, await workerReport('builds'))
  const page = new MetricsPage(db)
  const statements = vi.spyOn(db, 'getExecutor')
  const pages = await Promise.all([page.read(), page.read(), page.read()])
  pages.push(await page.read())
  expect(statements).toHaveBeenCalledTimes(1)
  statements.mockRestore()
  expect(Buffer.byteLength(pages[0]?.text ?? '')).toBeLessThan(1024 * 1024)
  expect(pages[0]?.text).not.toMatch(/cmp_/)
})

test('queued runs are counted by whether their company has a run in progress', async () => {
  const before = await readServiceFigures(db)
  for (const state of ['queued', 'running'] as const) {
    const { companyId, roomId } = await makeTenant(db)
    const task = await makeRunnableTask(db, companyId)
    const queued_at = new Date(Date.now() - 60_000)
    await makeRun(db, task, { chatroom_id: roomId, queued_at })
    if (state === 'running')
      await makeRun(db, task, {
        ...{
          chatroom_id: roomId,
          state,
          worker: 'w',
          sandbox_id: `s_${companyId}`,
          executor: '0'.repeat(32),
        },
        ...{ claimed_at: new Date(), started_at: new Date() },
      })
  }
  const after = await readServiceFigures(db)
  expect(after.queued_alone - before.queued_alone).toBe(1)
  expect(after.queued_beside_others - before.queued_beside_others).toBe(1)
  expect(after.oldest_alone).toBeGreaterThan(59)
  expect(after.oldest_beside_others).toBeGreaterThan(59)
  expect(after.lock_waits).toBe(0)
})
