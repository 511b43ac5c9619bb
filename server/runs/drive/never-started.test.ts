import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExecutorRefused, ExecutorUnavailable } from '../../../agent/port/errors.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor, type ScriptedResult } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { StartPace } from '../../fairness/start-pace.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { PlacedImages } from '../prepare/placed-images.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import { ResultQueue } from '../results/result-pace.ts'
import { driveRun, progressOf } from './drive-run.ts'
import { postgresRunQueue } from './run-queue.ts'
import { type RunWorker, startRunWorker } from './run-worker.ts'

/* Runs whose sandbox was ended before their jobs began. */

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const storage = testStorage()
const cutExit: ScriptedResult = { exit: { cause: 'lost', exitCode: null, detail: 'input_cut' } }
let executor: ScriptedExecutor
const workers: RunWorker[] = []

beforeEach(() => {
  executor = new ScriptedExecutor()
})
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))

const parts = () => ({
  runs: postgresRunQueue(db, url, log),
  executor,
  storage,
  images: unsignedImages,
  log,
})

async function startWorker(): Promise<RunWorker> {
  const worker = await startRunWorker({
    ...parts(),
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    companyConcurrency: 50,
    egressCapBytes: undefined,
    pollIntervalMs: 100,
  })
  workers.push(worker)
  return worker
}

async function queueable() {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  return { tenant, task, queue: () => makeRun(db, task, { chatroom_id: tenant.roomId }) }
}
const queue = async () => (await queueable()).queue()

const takenBack = (run: ClaimedRun) => ({ run, from: progressOf({ ...run, claimedHere: true }) })

const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilState = (id: string, state: string) =>
  eventually(async () => expect((await rowOf(id)).state).toBe(state))

const failedExit: ScriptedResult = { exit: { cause: 'start_failed', exitCode: null, detail: 'runtime' } }

it.each([
  ['input was cut', cutExit],
  ['runtime failed', failedExit],
  ['network ended with the agent', { exit: { ...failedExit.exit, detail: 'network_gone' } }],
])('a run whose %s is started again, in another sandbox', async (_, exit) => {
  executor.script(({ id }) => (id.endsWith('_1') ? exit : {}))
  await startWorker()
  const id = await queue()
  await untilState(id, 'completed')
  expect(executor.started).toEqual([`${id}_1`, `${id}_2`])
})

const claimExpired = new ExecutorRefused('claim_expired', 'late')

it('a run whose claim is too old to start gets a new one', async () => {
  executor.failNext('start', claimExpired)
  await startWorker()
  const id = await queue()
  await untilState(id, 'completed')
  expect(executor.started).toEqual([`${id}_2`])
})

it('a run each of whose claims is too old ends, as where the clocks of database and host are a day apart', async () => {
  for (let start = 0; start < 7; start += 1) executor.failNext('start', claimExpired)
  await startWorker()
  const id = await queue()
  await untilState(id, 'platform_failed')
  expect(await rowOf(id)).toMatchObject({
    error_code: 'runtime_start_failed',
    error_detail: 'claim_expired',
    fence: 5,
  })
})

it('a run is started again that was cut while no worker held it', async () => {
  executor.script(({ id }) => (id.endsWith('_1') ? 'hold' : {}))
  executor.failNext('start', new ExecutorUnavailable('cut'), true)
  const first = await startWorker()
  const id = await queue()
  await executor.untilStarted(1)
  await first.stop()
  executor.end(`${id}_1`, cutExit)
  await startWorker()
  await untilState(id, 'completed')
  expect(new Set(executor.started).size).toBe(2)
})

it('a worker that lost the run to another leaves the record to it', async () => {
  executor.script(({ id }) => (id.endsWith('_1') ? 'hold' : {}))
  const holder = await startWorker()
  const id = await queue()
  await executor.untilStarted(1)
  await holder.stop()
  executor.end(`${id}_1`, cutExit)
  const { company_id: companyId } = await rowOf(id)
  const earlier: ClaimedRun = { id, companyId, state: 'starting', fence: 0, sandboxId: `${id}_1` }
  const { signal } = new AbortController()
  const images = new PlacedImages(executor, unsignedImages)
  await driveRun(
    {
      ...parts(),
      images,
      resultQueue: new ResultQueue(),
      startPace: new StartPace(),
    },
    takenBack(earlier),
    {
      stopping: signal,
      cancel: signal,
    },
  )
  expect(await executor.list()).toEqual([{ id: `${id}_1`, state: 'exited' }])
  await startWorker()
  await untilState(id, 'completed')
})

it('a run is cancelled that an earlier holder stopped, before its holder has heard of the cancel', async () => {
  executor.script(() => 'hold')
  const earlier = await startWorker()
  const id = await queue()
  await untilState(id, 'running')
  await earlier.stop()
  const { company_id: companyId, fence } = await rowOf(id)
  await cancelRun(db, { id, company_id: companyId })
  await executor.stop(`${id}_1`)
  const run: ClaimedRun = { id, companyId, state: 'running', fence, sandboxId: `${id}_1` }
  const { signal } = new AbortController()
  const images = new PlacedImages(executor, unsignedImages)
  await driveRun(
    {
      ...parts(),
      images,
      resultQueue: new ResultQueue(),
      startPace: new StartPace(),
    },
    takenBack(run),
    {
      stopping: signal,
      cancel: signal,
    },
  )
  expect((await rowOf(id)).state).toBe('cancelled')
})

it('a run whose runtime fails each time keeps the log of the last time', async () => {
  const log = { totalBytes: 5, keptBytes: 5 }
  executor.script(() => ({ exit: { ...failedExit.exit, log }, log: 'words' }))
  await startWorker()
  const id = await queue()
  await untilState(id, 'platform_failed')
  expect(await rowOf(id)).toMatchObject({ error_code: 'runtime_start_failed', error_detail: 'runtime' })
  const kept = db.selectFrom('run_contents').select('log_bytes').where('run_id', '=', id)
  expect(await kept.executeTakeFirst()).toMatchObject({ log_bytes: 5 })
})

it('a run that is cut each time is not started for ever', async () => {
  executor.script(() => cutExit)
  await startWorker()
  const id = await queue()
  await untilState(id, 'platform_failed')
  expect(await rowOf(id)).toMatchObject({ error_code: 'host_lost', error_detail: 'input_cut' })
  expect(executor.started).toHaveLength(5)
})

describe('a run of a version whose provisioning was asked for again', () => {
  it.each(['regional_provisioning', 'provisioning_blocked'])(
    'starts while the version is %s, as long as its image can be placed',
    async (state) => {
      const { task, queue } = await queueable()
      await db
        .updateTable('environment_versions')
        .set({ state })
        .where('id', '=', task.environmentVersionId)
        .execute()
      await startWorker()
      const id = await queue()
      await untilState(id, 'completed')
    },
  )

  it('ends as image_unavailable when the image is refused', async () => {
    executor.failNext('installImage', new ExecutorRefused('image_invalid', 'no'))
    await startWorker()
    const id = await queue()
    await untilState(id, 'platform_failed')
    expect(await rowOf(id)).toMatchObject({ error_code: 'image_unavailable', error_detail: 'refused' })
  })

  it('that ends so records once a day that its image cannot be taken from storage', async () => {
    const { tenant, task, queue } = await queueable()
    await startWorker()
    for (let each = 0; each < 2; each += 1) {
      executor.failNext('installImage', new ExecutorRefused('image_invalid', 'no'))
      await untilState(await queue(), 'platform_failed')
    }
    executor.script(() => ({ exit: { exitCode: 1 } }))
    await untilState(await queue(), 'customer_failed')
    const blocked = await db
      .selectFrom('event_outbox')
      .select('subject_id')
      .where('company_id', '=', tenant.companyId)
      .where('event', '=', 'image_storage_renewal_blocked')
      .execute()
    expect(blocked).toEqual([{ subject_id: task.environmentVersionId }])
  })
})
