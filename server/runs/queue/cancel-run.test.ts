import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { startTraceCollector } from '../../../testing/trace-collector.ts'
import { createLog } from '../../base/logging.ts'
import { startTracing } from '../../tracing/tracing.ts'
import { runsEnded } from '../model/run-metrics.ts'
import { cancelQueuedRunsOfTask, cancelRun } from './cancel-run.ts'

const { db } = await createTestDatabase()

it('cancels the queued runs of one task and leaves every other run as it is', async () => {
  const tenant = await makeTenant(db)
  const [archived, other] = [
    await makeRunnableTask(db, tenant.companyId),
    await makeRunnableTask(db, tenant.companyId),
  ]
  const room = { chatroom_id: tenant.roomId }
  const running = { ...room, state: 'running', worker: 'w', sandbox_id: 's' }
  const ids = [
    await makeRun(db, archived, room),
    await makeRun(db, archived, room),
    await makeRun(db, archived, running),
    await makeRun(db, other, room),
  ]
  await db.transaction().execute((trx) => cancelQueuedRunsOfTask(trx, tenant.companyId, archived.taskId))
  const rows = await db
    .selectFrom('runs')
    .select(['state', 'error_code'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  expect(rows.map((row) => row.state)).toEqual(['cancelled', 'cancelled', 'running', 'queued'])
  expect(rows[0]?.error_code).toBe('cancelled')
})

it('counts a run that is cancelled in the queue, and ends its trace', async () => {
  const collector = await startTraceCollector()
  const tracing = startTracing(
    {
      otlpEndpoint: collector.url,
      otlpHeaders: undefined,
      otlpCertificateFile: undefined,
      otlpServiceName: 'test',
    },
    createLog('test', 'silent'),
  )
  const cancelled = async () =>
    (await runsEnded.get()).values.find(({ labels }) => labels.state === 'cancelled')?.value ?? 0
  const before = await cancelled()
  const tenant = await makeTenant(db)
  const id = await makeRun(db, await makeRunnableTask(db, tenant.companyId), { chatroom_id: tenant.roomId })
  await cancelRun(db, { id, company_id: tenant.companyId })
  await cancelRun(db, { id, company_id: tenant.companyId })
  expect(await cancelled()).toBe(before + 1)
  await tracing.stop()
  const { spans } = collector.trace(id.replace('run_', ''))
  await collector.close()
  expect(collector.faults).toEqual([])
  expect(spans).toMatchObject([{ name: 'run', attributes: { 'sandbox_jobs.state': 'cancelled' } }])
})
