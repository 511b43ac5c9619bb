import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { FakeBuilder } from '../../../testing/builds/fake-builder.ts'
import { ChainBench } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { startTraceCollector } from '../../../testing/trace-collector.ts'
import { createLog } from '../../base/logging.ts'
import { startTracing } from '../../tracing/tracing.ts'

const { db } = await createTestDatabase()
const bench = new ChainBench(db, new FakeBuilder())
const owner = await makeTenant(db)
const environment = await bench.environment(owner)
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
afterAll(async () => {
  await tracing.stop()
  await collector.close()
})

async function traceOfBuild(dockerfile: string) {
  const archive = tar({ name: 'Dockerfile', content: dockerfile }, { name: 'note', content: randomUUID() })
  const { attemptId, state } = await bench.build(archive, { owner, environment })
  const traceId = attemptId.slice(-32)
  await eventually(() => {
    expect(collector.trace(traceId).spans.map(({ name }) => name)).toContain('build')
  })
  const { spans, faults } = collector.trace(traceId)
  const root = spans.find(({ name }) => name === 'build')
  return { attemptId, state, spans, root, faults: [...faults, ...collector.faults] }
}

test('a build is one trace from its request to its end, with a span for each step', async () => {
  const { attemptId, state, spans, root, faults } = await traceOfBuild('FROM scratch\nCOPY note /note\n')
  expect(state).toBe('completed')
  expect(faults).toEqual([])
  expect(root).toMatchObject({
    attributes: {
      'sandbox_jobs.build': attemptId,
      'sandbox_jobs.company': owner.companyId,
      'sandbox_jobs.process': 'builds',
      'sandbox_jobs.state': 'completed',
    },
  })
  expect(root?.parentSpanId).toBeUndefined()
  const steps = spans.filter((span) => span !== root)
  expect(new Set(steps.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]))
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'queued',
      'validate_context',
      'static_scan',
      'sign',
      'promote',
      'regional_readback',
    ]),
  )
  const scan = steps.find(({ name }) => name === 'static_scan')
  expect(scan?.attributes['sandbox_jobs.stage']).toBe('static_scan')
})

test('a build that fails names the step and the code of its failure', async () => {
  const { state, spans, root, faults } = await traceOfBuild('RUN nothing\n')
  expect(state).not.toBe('completed')
  expect(faults).toEqual([])
  const failed = spans.filter(({ status }) => status !== undefined)
  expect(failed.map(({ name, status }) => [name, status?.message])).toEqual([
    ['validate_context', 'policy_reject'],
    ['build', 'policy_reject'],
  ])
  expect(root?.attributes['sandbox_jobs.error']).toBe('policy_reject')
})
