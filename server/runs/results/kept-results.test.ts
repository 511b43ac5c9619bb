import { afterEach, beforeEach, expect, it } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor, type ScriptedResult } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import {
  readStorageUsage,
  recountKeptBytes,
  setDefaultBytes,
} from '../../companies/storage/kept-bytes-store.ts'
import { postgresRunQueue } from '../drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../drive/run-worker.ts'
import { objectKeys } from './collect-run.ts'

/* Results of runs are stored as far as their company has room for it. */

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const storage = testStorage()
const logBytes = 300 * 1024
const limitBytes = 10 * logBytes
const big: ScriptedResult = {
  exit: { log: { totalBytes: logBytes, keptBytes: logBytes } },
  log: 'x'.repeat(logBytes),
}
let executor: ScriptedExecutor
let tenant: Tenant
let task: RunnableTask
const workers: RunWorker[] = []

beforeEach(async () => {
  executor = new ScriptedExecutor()
  executor.script(() => big)
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  await setDefaultBytes(db, limitBytes)
})
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))

async function startWorker(): Promise<void> {
  const worker = await startRunWorker({
    runs: postgresRunQueue(db, url, log),
    executor,
    storage,
    images: unsignedImages,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 16 }),
    companyConcurrency: 50,
    egressCapBytes: undefined,
    pollIntervalMs: 100,
  })
  workers.push(worker)
}

const ended = async (ids: readonly string[]) => {
  const rows = () =>
    db.selectFrom('runs').select(['id', 'state', 'error_code', 'sandbox_id']).where('id', 'in', ids).execute()
  await eventually(async () =>
    expect((await rows()).every(({ state }) => /completed|failed/.test(state))).toBe(true),
  )
  return rows()
}

it('a company whose runs end together keeps no more than it may, and the others of them say why', async () => {
  const ids: string[] = []
  for (let count = 0; count < 30; count += 1) {
    ids.push(await makeRun(db, task, { chatroom_id: tenant.roomId }))
  }
  await startWorker()
  const rows = await ended(ids)

  const { keptBytes } = await readStorageUsage(db, tenant.companyId)
  expect(keptBytes).toBeLessThanOrEqual(limitBytes)
  const completed = rows.filter(({ state }) => state === 'completed')
  expect(completed).toHaveLength(Math.floor(limitBytes / logBytes) - 1)
  const refused = rows.filter(({ state }) => state !== 'completed')
  expect(new Set(refused.map(({ error_code }) => error_code))).toEqual(new Set(['storage_quota_exceeded']))
  for (const { id, sandbox_id } of refused) {
    const sizes = objectKeys({ runId: id, sandboxId: sandbox_id ?? '' }).map((key) => storage.size(key))
    expect(await Promise.all(sizes)).toEqual([undefined, undefined, undefined])
  }
  expect(await recountKeptBytes(db)).toEqual([])
})

it('another company stores its results meanwhile', async () => {
  const other = await makeTenant(db)
  const otherTask = await makeRunnableTask(db, other.companyId)
  for (let count = 0; count < 20; count += 1) await makeRun(db, task, { chatroom_id: tenant.roomId })
  const id = await makeRun(db, otherTask, { chatroom_id: other.roomId })
  await startWorker()
  expect(await ended([id])).toMatchObject([{ state: 'completed' }])
})

it('the names of artifacts count too, so that empty files cannot fill the database', async () => {
  const name = (at: number) => `${at}-${'n'.repeat(1000)}`
  const artifacts = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [name(at), '']))
  executor.script(() => ({ artifacts }))
  const ids = [
    await makeRun(db, task, { chatroom_id: tenant.roomId }),
    await makeRun(db, task, { chatroom_id: tenant.roomId }),
  ]
  await startWorker()
  const rows = await ended(ids)
  expect(rows.map(({ error_code }) => error_code).toSorted()).toEqual(['', 'storage_quota_exceeded'])
  expect((await readStorageUsage(db, tenant.companyId)).keptBytes).toBeLessThanOrEqual(limitBytes)
  expect(await recountKeptBytes(db)).toEqual([])
})
