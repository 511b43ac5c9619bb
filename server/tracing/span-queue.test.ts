import { register } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTraceCollector } from '../../testing/trace-collector.ts'
import { createLog } from '../base/logging.ts'
import { tracesPoster } from './post-traces.ts'
import type { Span } from './span.ts'
import { SpanQueue } from './span-queue.ts'

let collector: Awaited<ReturnType<typeof startTraceCollector>>
beforeEach(async () => {
  collector = await startTraceCollector()
})
afterEach(() => collector.close())

const span: Span = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'work',
  process: 'worker',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
}

function startQueue(endpoint = collector.url) {
  const log = createLog('test', 'silent')
  const warn = vi.spyOn(log, 'warn')
  const post = tracesPoster({ endpoint, headers: { authorization: 'Bearer of-the-operator' } })
  const queue = new SpanQueue({ post, resource: { 'service.name': 'test' }, log, intervalMs: 10 })
  return { queue, warn }
}

async function countOf(result: string): Promise<number> {
  const metric = await register.getSingleMetric('sandbox_spans_total')?.get()
  return metric?.values.find(({ labels }) => labels.result === result)?.value ?? 0
}

test('sends spans as the protocol has them, with the headers of the operator', async () => {
  const { queue } = startQueue(`${collector.url}/`)
  const link = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) }
  queue.add({
    ...span,
    ...{ parentSpanId: 'c'.repeat(16), kind: 'server', failure: 'host_lost', links: [link] },
    attributes: { 'sandbox_jobs.run': 'run_1', 'sandbox_jobs.claims': 2 },
  })
  await eventually(() => expect(collector.spans).toHaveLength(1))
  await queue.stop()
  expect(collector.faults).toEqual([])
  expect(collector.spans[0]).toMatchObject({
    ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: 'c'.repeat(16), name: 'work', kind: 2 },
    startTimeUnixNano: '1700000000000250000',
    endTimeUnixNano: '1700000000001500000',
    attributes: {
      'sandbox_jobs.process': 'worker',
      'sandbox_jobs.run': 'run_1',
      'sandbox_jobs.claims': '2',
    },
    links: [link],
    status: { code: 2, message: 'host_lost' },
  })
  expect(collector.resources).toEqual([{ 'service.name': 'test' }])
  expect(collector.requests[0]?.headers).toMatchObject({ authorization: 'Bearer of-the-operator' })
})

test('sends again what a collector cannot take now, and not what it refuses', async () => {
  collector.answerWith({ status: 503 })
  const { queue, warn } = startQueue()
  const refusedBefore = await countOf('refused')
  queue.add(span)
  await eventually(() => expect(collector.requests.length).toBeGreaterThan(2))
  collector.answerWith({ status: 200, body: { partialSuccess: { rejectedSpans: '1' } } })
  await eventually(async () => expect(await countOf('refused')).toBe(refusedBefore + 1))
  collector.answerWith({ status: 400 })
  queue.add(span)
  await eventually(async () => expect(await countOf('refused')).toBe(refusedBefore + 2))
  await queue.stop()
  // One line, however often it fails.
  expect(warn.mock.calls).toEqual([['the collector of traces takes no spans now']])
})

test('drops what waits beyond its bound while no collector answers, and says so once', async () => {
  await collector.close()
  const { queue, warn } = startQueue()
  const droppedBefore = await countOf('dropped')
  for (let count = 0; count < 8192 + 5; count += 1) queue.add(span)
  expect(await countOf('dropped')).toBe(droppedBefore + 5)
  await eventually(() => expect(warn).toHaveBeenCalled())
  await queue.stop()
  expect(await countOf('dropped')).toBe(droppedBefore + 8192 + 5)
  expect(warn.mock.calls).toEqual([['the collector of traces does not answer: ECONNREFUSED']])
  collector = await startTraceCollector()
})

test('does not wait long for a collector that never answers when it stops', async () => {
  collector.answerWith('never')
  const { queue } = startQueue()
  queue.add(span)
  await eventually(() => expect(collector.requests).toHaveLength(1))
  const droppedBefore = await countOf('dropped')
  await queue.stop()
  expect(await countOf('dropped')).toBe(droppedBefore + 1)
})
