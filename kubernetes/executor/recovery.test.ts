import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ExecutorUnavailable } from '../../agent/port/errors.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { newId } from '../../server/base/ids.ts'
import { clusterJob } from '../../testing/kubernetes/cluster-job.ts'
import { FakeCluster } from '../../testing/kubernetes/fake-cluster.ts'
import { FakePod } from '../../testing/kubernetes/fake-pod.ts'
import { MemoryRecords } from '../../testing/kubernetes/memory-records.ts'
import { startWorker, type WorkerParts } from '../../testing/kubernetes/worker-with-gateway.ts'
import { KubernetesRefused } from '../api/failures.ts'
import type { KubernetesObject } from '../api/objects.ts'
import { lostExit } from '../records/pod-exit.ts'

/* A worker is killed by its end without a word: its successor has the records, the cluster and the address, and nothing else. */

let cluster: FakeCluster
let records: MemoryRecords
let nowMs: number
const clock = { now: () => new Date(nowMs) }
const workers: { stop(): Promise<void> }[] = []
const pods: FakePod[] = []
const made: KubernetesObject[] = []

beforeEach(async () => {
  cluster = FakeCluster.start()
  records = new MemoryRecords()
  nowMs = Date.now()
  made.length = 0
  cluster.onCreated = (object) => {
    made.push(object)
    pods.push(new FakePod(cluster, object))
  }
})
afterEach(async () => {
  for (const pod of pods.splice(0)) pod.client.close()
  for (const worker of workers.splice(0)) await worker.stop()
})

async function workerOf(parts: Partial<WorkerParts> = {}) {
  const worker = await startWorker({ cluster, records, clock, ...parts })
  workers.push(worker)
  await vi.waitFor(() => expect(worker.watch.isWhole).toBe(true))
  return worker
}
type Worker = Awaited<ReturnType<typeof workerOf>>

/** A start that waits for its pod, which this worker has seen. */
async function startOf(worker: Worker, spec = clusterJob(newId('run'))) {
  const before = pods.length
  const started = worker.executor.start(spec, inputOf(Buffer.from('input')))
  started.catch(() => {})
  await vi.waitFor(() => expect(pods.length).toBe(before + 1))
  const [pod, object] = [pods.at(-1), made.at(-1)]
  if (!pod || !object) throw new Error('no pod was created')
  await vi.waitFor(() =>
    expect(worker.watch.find(object.metadata.name)?.metadata.uid).toBe(object.metadata.uid),
  )
  return { spec, started, pod, object }
}

async function running(worker: Worker) {
  const start = await startOf(worker)
  await start.pod.redeem()
  await start.pod.input()
  await start.pod.ask('POST', 'started')
  await start.started
  return start
}

async function killed(worker: Worker): Promise<Worker> {
  const { port } = worker.gateway
  await worker.stop()
  workers.splice(workers.indexOf(worker), 1)
  return workerOf({ port, store: worker.store })
}

test('a pod whose creation had no answer is found by the next try', async () => {
  const worker = await workerOf()
  cluster.failures.push('lost')
  const spec = clusterJob(newId('run'))
  await expect(worker.executor.start(spec, inputOf(Buffer.of()))).rejects.toBeInstanceOf(ExecutorUnavailable)
  const again = worker.executor.start(spec, inputOf(Buffer.from('second')))
  await vi.waitFor(async () => expect((await pods[0]?.redeem())?.status).toBe(200))
  expect(await pods[0]?.input()).toMatchObject({ input: Buffer.from('second') })
  await pods[0]?.ask('POST', 'started')
  await again
  expect(made.length).toBe(1)
})

test('an API server that is away leaves a start unknown, and nothing behind', async () => {
  const worker = await workerOf()
  cluster.failures.push('away')
  const spec = clusterJob(newId('run'))
  await expect(worker.executor.start(spec, inputOf(Buffer.of()))).rejects.toBeInstanceOf(ExecutorUnavailable)
  expect(await worker.executor.forbid(spec.id)).toBe(true)
  expect(cluster.pods.size).toBe(0)
})

test('a quota that is used up is a lack of room', async () => {
  const worker = await workerOf()
  const message = 'pods "x" is forbidden: exceeded quota: runs'
  cluster.failures.push(new KubernetesRefused({ status: 403, reason: 'Forbidden', message }))
  const start = worker.executor.start(clusterJob(newId('run')), inputOf(Buffer.of()))
  await expect(start).rejects.toMatchObject({ slug: 'no_capacity' })
})

test('after a worker that died before its pod asked, the id can be forbidden, and the pod gets nothing', async () => {
  const first = await workerOf()
  const { spec, pod } = await startOf(first)
  const second = await killed(first)
  expect(await pod.redeem()).toMatchObject({ status: 503 })
  expect(await second.executor.list()).toEqual([])
  expect(await second.executor.forbid(spec.id)).toBe(true)
  expect(await pod.redeem()).toMatchObject({ status: 409, body: { error: 'forbidden' } })
  expect(cluster.pods.size).toBe(0)
})

test('after a worker that died with the input of its pod, nothing started, and the id is used', async () => {
  const first = await workerOf()
  const { spec, pod } = await startOf(first)
  await pod.redeem()
  const second = await killed(first)
  expect(await second.executor.forbid(spec.id)).toBe(false)
  expect(await pod.input()).toBe('input_gone')
  await pod.exit(lostExit(spec, 'input_cut', clock.now()))
  expect(await second.executor.wait(spec.id)).toMatchObject({ cause: 'lost', detail: 'input_cut' })
  const again = second.executor.start(spec, inputOf(Buffer.of()))
  await expect(again).rejects.toMatchObject({ slug: 'never_started' })
  expect(made.length).toBe(1)
})

test('after a worker that died while its sandbox ran, the next one stops it and reads its end', async () => {
  const first = await workerOf()
  const { spec, pod } = await running(first)
  await first.executor.terminate(spec.id)
  const second = await killed(first)
  expect(await second.executor.list()).toEqual([{ id: spec.id, state: 'running' }])
  expect(await pod.ask('GET', 'control?stop=0&follow=0')).toMatchObject({ status: 200, body: { stop: 1 } })
  const ended = second.executor.wait(spec.id)
  await pod.ask('PUT', 'files/0', Buffer.from('all'))
  const exit = lostExit(spec, '', clock.now())
  await pod.exit({ ...exit, cause: 'stopped', files: [{ status: 'present', byteSize: 3 }] })
  expect(await ended).toMatchObject({ cause: 'stopped', files: { output: { status: 'present' } } })
  await second.executor.remove(spec.id)
  expect(cluster.pods.size).toBe(0)
})

test('a pod that goes before it asked leaves its id startable: the next one starts it', async () => {
  const worker = await workerOf()
  const { spec, started, object } = await startOf(worker)
  cluster.setStatus(object.metadata, { phase: 'Failed', reason: 'Evicted' })
  await expect(started).rejects.toBeInstanceOf(ExecutorUnavailable)
  const { pod, started: again } = await startOf(worker, spec)
  await pod.redeem()
  await pod.input()
  await pod.ask('POST', 'started')
  await again
  expect(made.length).toBe(2)
})

const waitingFor = (reason: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'job', state: { waiting: { reason, message: 'a message' } } }],
})
const unschedulable = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }],
}

test.each([
  ['no node has room', unschedulable, 30, 'no_capacity'],
  ['no node can pull its image', waitingFor('ImagePullBackOff'), 120, 'image_missing'],
  ['a node cannot make it', waitingFor('CreateContainerError'), 30, 'host'],
])('a pod is given up after a while where %s', async (_why, status, seconds, slug) => {
  const worker = await workerOf()
  const { spec, started, object } = await startOf(worker)
  const isOver = vi.fn<() => void>()
  started.catch(isOver)
  cluster.setStatus(object.metadata, status)
  await vi.waitFor(() => expect(worker.watch.find(object.metadata.name)?.status).toEqual(status))
  nowMs += (seconds - 1) * 1000
  cluster.setStatus(object.metadata, status, { changed: 1 })
  await vi.waitFor(() => expect(worker.watch.find(object.metadata.name)?.metadata.changed).toBe(1))
  expect(isOver).not.toHaveBeenCalled()
  nowMs += 1001
  cluster.setStatus(object.metadata, status, { changed: 2 })
  await expect(started).rejects.toMatchObject({ slug })
  expect(cluster.pods.size).toBe(0)
  expect(await worker.executor.forbid(spec.id)).toBe(true)
})

test('a pod that never asks is given up', async () => {
  const worker = await workerOf()
  const { started, object } = await startOf(worker)
  await vi.waitFor(() =>
    expect(worker.sessions.find(object.metadata.name.replace('-', '_'))?.podUid).toBeDefined(),
  )
  nowMs += 180_000
  cluster.setStatus(object.metadata, { phase: 'Running' })
  await expect(started).rejects.toBeInstanceOf(ExecutorUnavailable)
})

test.each([
  ['it was evicted', { phase: 'Failed', reason: 'Evicted' }, 'evicted'],
  [
    'it was preempted',
    { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', reason: 'PreemptionByScheduler' }] },
    'preempted',
  ],
  ['its node is gone', undefined, 'node_lost'],
])('a sandbox of which nothing is heard is lost: %s', async (_why, status, detail) => {
  const worker = await workerOf()
  const { spec, pod, object } = await running(worker)
  if (status) cluster.setStatus(object.metadata, status)
  else cluster.setStatus(object.metadata, { phase: 'Pending' }, { deletionTimestamp: '2026-01-01T00:00:00Z' })
  await vi.waitFor(() => expect(worker.watch.find(object.metadata.name)?.status).not.toBeUndefined())
  nowMs += 59_000
  expect(await worker.sweep()).toMatchObject({ lost: 0 })
  nowMs += 2000
  const waiting = worker.executor.wait(spec.id)
  expect(await worker.sweep()).toMatchObject({ lost: 1 })
  expect(await waiting).toMatchObject({ cause: 'lost', detail })
  expect(await pod.exit({ ...lostExit(spec, '', clock.now()), cause: 'exited', exitCode: 0 })).toMatchObject({
    status: 409,
    body: { error: 'ended' },
  })
})

test('a sandbox whose pod is there is not lost, however silent it is', async () => {
  const worker = await workerOf()
  await running(worker)
  nowMs += 3_600_000
  expect(await worker.sweep()).toEqual({ lost: 0, deleted: 0 })
})

test('nothing is lost or deleted before every pod was listed', async () => {
  const worker = await workerOf()
  const { object } = await running(worker)
  await cluster.delete('', object.metadata)
  await vi.waitFor(() => expect(worker.watch.find(object.metadata.name)).toBeUndefined())
  nowMs += 3_600_000
  worker.watch.isWhole = false
  expect(await worker.sweep()).toEqual({ lost: 0, deleted: 0 })
})

test('a pod without a live record is deleted after two minutes', async () => {
  const worker = await workerOf()
  const { spec, pod, object } = await running(worker)
  await pod.exit({ ...lostExit(spec, '', clock.now()), cause: 'exited', exitCode: 0 })
  expect(await worker.sweep()).toEqual({ lost: 0, deleted: 0 })
  nowMs += 121_000
  expect(await worker.sweep()).toEqual({ lost: 0, deleted: 1 })
  expect(cluster.pods.has(object.metadata.name)).toBe(false)
})
