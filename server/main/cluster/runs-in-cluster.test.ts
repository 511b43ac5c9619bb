import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { FakeProgram } from '../../../testing/fake-executor/fake-executor.ts'
import { FakeCluster } from '../../../testing/kubernetes/fake-cluster.ts'
import { FakePod } from '../../../testing/kubernetes/fake-pod.ts'
import { startWorker } from '../../../testing/kubernetes/worker-with-gateway.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { StoredRecords } from '../../operations/kubernetes/sandbox-records-store.ts'
import { postgresRunQueue } from '../../runs/drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../../runs/drive/run-worker.ts'

/* Runs from the queue to their end by the executor of pods, whose records are in Postgres; the pods speak the wire in this process. */

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const executorId = 'c'.repeat(32)
const storage = testStorage()
let tenant: Tenant
let task: RunnableTask
let cluster: FakeCluster
let host: Awaited<ReturnType<typeof startWorker>>
let runs: RunWorker
let program: FakeProgram

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId, {})
  cluster = FakeCluster.start()
  cluster.onCreated = (pod) => {
    new FakePod(cluster, pod).run((...given) => program(...given)).catch(() => {})
  }
  await startProcess()
})
afterEach(async () => {
  await stopProcess()
  await sql`update runs set state = 'cancelled', terminal_at = now() where terminal_at is null`.execute(db)
})

let processes = 0

async function startProcess(port?: number): Promise<void> {
  const records = new StoredRecords(db, executorId)
  host = await startWorker({ cluster, records, store: storage, hasImage: () => true, ...(port && { port }) })
  processes += 1
  runs = await startRunWorker({
    ...{ executor: host.executor, storage, images: unsignedImages, log, companyConcurrency: 50 },
    runs: postgresRunQueue(db, url, log),
    kind: 'kubernetes',
    driver: { executor: executorId, worker: `worker-${processes}` },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    pollIntervalMs: 100,
  })
}

async function stopProcess(): Promise<void> {
  await runs.stop()
  await host.stop()
}

const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilState = (id: string, state: string) =>
  eventually(async () => expect((await rowOf(id)).state).toBe(state))

test('a run goes from the queue to its end with what it left, and leaves nothing in the cluster', async () => {
  program = () => ({
    exit: { exitCode: 0, cpuMs: 7, peakMemoryBytes: 4096 },
    log: 'working\n',
    files: { output: Buffer.from('{"sum":3}') },
    tree: [{ path: 'a/x.txt', content: Buffer.from('hello') }],
  })
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  await untilState(id, 'completed')
  expect(await rowOf(id)).toMatchObject({ exit_code: 0, error_code: '', executor: executorId })
  const content = await db
    .selectFrom('run_contents')
    .selectAll()
    .where('run_id', '=', id)
    .executeTakeFirstOrThrow()
  const read = async (key: string | null) => text(await storage.get(key ?? ''))
  expect(await Promise.all([content.output_key, content.log_key, content.bundle_key].map(read))).toEqual([
    '{"sum":3}',
    'working\n',
    'hello',
  ])
  await eventually(async () => {
    expect(cluster.pods.size).toBe(0)
    expect((await host.executor.list()).length).toBe(0)
    for (const name of ['log', 'tree', 'tree-index', 'file-0'])
      expect(await storage.size(`sandboxes/${id}_1/${name}`)).toBeUndefined()
  })
})

test('a cancel ends a run that is at work', async () => {
  program = () => new Promise(() => {})
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  await untilState(id, 'running')
  await sql`update runs set state = 'cancel_requested' where id = ${id}`.execute(db)
  await untilState(id, 'cancelled')
})

test('a worker that starts again takes its runs back, and each ran once', async () => {
  const started: string[] = []
  const finish = Promise.withResolvers<object>()
  program = ({ id }) => {
    started.push(id)
    return finish.promise
  }
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  await untilState(id, 'running')
  const { port } = host.gateway
  await stopProcess()
  await startProcess(port)
  finish.resolve({ log: 'done' })
  await untilState(id, 'completed')
  expect(started).toEqual([`${id}_1`])
})

test('a run whose pod is lost before it asked is started by the next one', async () => {
  let pods = 0
  const run = cluster.onCreated
  cluster.onCreated = (pod) => {
    pods += 1
    if (pods === 1) cluster.setStatus(pod.metadata, { phase: 'Failed', reason: 'Evicted' })
    else run(pod)
  }
  program = () => ({})
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  await untilState(id, 'completed')
  expect(pods).toBe(2)
})
