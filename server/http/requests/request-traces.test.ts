import { randomUUID } from 'node:crypto'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { afterAll, expect, test } from 'vitest'
import { principalHeader, TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { exitRecord, ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { startTraceCollector } from '../../../testing/trace-collector.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { postgresRunQueue } from '../../runs/drive/run-queue.ts'
import { startRunWorker } from '../../runs/drive/run-worker.ts'
import { startTracing } from '../../tracing/tracing.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const api = new TestApi(db)
const address = await api.app.listen({ port: 0, host: '127.0.0.1' })
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)
const executor = new ScriptedExecutor()
const collector = await startTraceCollector()
const tracing = startTracing(
  {
    otlpEndpoint: collector.url,
    otlpHeaders: undefined,
    otlpCertificateFile: undefined,
    otlpServiceName: 'jobs-of-the-test',
  },
  log,
)
const worker = await startRunWorker({
  runs: postgresRunQueue(db, url, log),
  executor,
  storage: api.storage,
  images: unsignedImages,
  log,
  driver: { executor: 'w1', worker: 'w1' },
  capacity: runCapacity({ slots: 4, reserved: 0 }),
  companyConcurrency: 50,
})
afterAll(async () => {
  await worker.stop()
  await tracing.stop()
  await collector.close()
})

const tenantText = 'quarterly-figures-of-a-tenant'

async function submit(headers: Record<string, string> = {}, key: string = randomUUID()) {
  const path = runRoutes.submitRun.path.replace('{cid}', tenant.roomId)
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'idempotency-key': key,
      [principalHeader]: JSON.stringify(tenant.member),
    },
    body: JSON.stringify({ task_version_id: task.versionId, input: { text: tenantText } }),
  })
  const { id } = (await answer.json()) as { id: string }
  return { id, request: answer.headers.get('x-request-id') }
}

/** The trace of a run once it has ended and the collector has its last span. */
async function traceOf(runId: string) {
  const traceId = runId.replace('run_', '')
  await eventually(() => {
    const names = collector.trace(traceId).spans.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['clean up', expect.stringMatching(/^POST/)]))
  })
  return collector.trace(traceId)
}

test('a run is one trace from its request to its end', async () => {
  executor.script(() => {
    const now = new Date().toISOString()
    return { log: tenantText, output: `"${tenantText}"`, exit: exitRecord({ startedAt: now, endedAt: now }) }
  })
  const { id, request } = await submit()
  const { spans, faults } = await traceOf(id)
  expect(faults).toEqual([])
  expect(collector.faults).toEqual([])
  const named = (name: string) => spans.find((each) => each.name === name)
  const [root, run] = [spans.find(({ parentSpanId }) => parentSpanId === undefined), named('run')]
  expect(root).toMatchObject({
    name: `POST ${runRoutes.submitRun.path.replace('{cid}', ':cid')}`,
    ...{ kind: 2, spanId: id.slice(-16) },
    attributes: {
      'sandbox_jobs.process': 'api',
      'sandbox_jobs.request': request,
      'http.request.method': 'POST',
      'http.response.status_code': '200',
    },
  })
  expect(run?.attributes).toEqual({
    'sandbox_jobs.process': 'worker',
    'sandbox_jobs.run': id,
    'sandbox_jobs.company': tenant.companyId,
    'sandbox_jobs.state': 'completed',
    'sandbox_jobs.error': '',
  })
  expect(run?.status).toBeUndefined()
  const stepOf = (name: string) =>
    spans.find((each) => each.name === name && each.parentSpanId === run?.spanId)
  const below = (spanId: string | undefined) =>
    spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name)
  expect(below(root?.spanId)).toEqual(['run'])
  expect(below(run?.spanId).toSorted()).toEqual(
    [
      ...['queued', 'prepare', 'start', 'report', 'await exit', 'program', 'collect', 'decide', 'finish'],
      'clean up',
    ].toSorted(),
  )
  expect(below(stepOf('start')?.spanId)).toEqual(['install the image', 'start'])
  expect(below(stepOf('prepare')?.spanId)).toEqual(['read the job', 'prepare'])
  expect(named('program')?.attributes).toEqual({
    'sandbox_jobs.process': 'shim',
    'sandbox_jobs.cause': 'exited',
  })
  expect(JSON.stringify(spans)).not.toContain(tenantText)
  expect(collector.resources).toContainEqual(
    expect.objectContaining({ 'service.name': 'jobs-of-the-test', 'service.version': expect.any(String) }),
  )
})

test('a caller cannot choose the trace of a run, only have it linked to its own span', async () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const linked = await traceOf((await submit({ traceparent: `00-${traceId}-${spanId}-00` })).id)
  const links = linked.spans.flatMap((span) => span.links ?? [])
  expect(links).toEqual([{ traceId, spanId }])
  expect(collector.trace(traceId).spans).toEqual([])
  for (const traceparent of [
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${spanId}-01`,
    tenantText,
  ]) {
    const { spans } = await traceOf((await submit({ traceparent })).id)
    expect(spans.flatMap((span) => span.links ?? [])).toEqual([])
  }
})

test('a request that is repeated is not part of the trace a second time', async () => {
  const key = randomUUID()
  const { id } = await submit({}, key)
  expect((await submit({}, key)).id).toBe(id)
  const { spans } = await traceOf(id)
  expect(spans.filter(({ kind }) => kind === 2)).toHaveLength(1)
})

test('a run that failed has its error, and nothing waits for the collector', async () => {
  collector.answerWith({ status: 503 })
  executor.script(() => ({ exit: { cause: 'deadline', exitCode: null } }))
  const { id } = await submit()
  await eventually(async () => {
    const row = await db
      .selectFrom('runs')
      .select('error_code')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.error_code).toBe('timeout')
  })
  collector.answerWith({ status: 200 })
  const { spans } = await traceOf(id)
  expect(spans.find(({ name }) => name === 'run')).toMatchObject({
    status: { code: 2, message: 'timeout' },
  })
})
