import { expect, it } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { postgresRunQueue, type RunQueue } from '../drive/run-queue.ts'
import { startRunWorker } from '../drive/run-worker.ts'
import { queuedChannel } from '../model/run-store.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const runs = postgresRunQueue(db, url, log)
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)

const queue = () => makeRun(db, task, { chatroom_id: tenant.roomId })
/** As the transaction does that queues a run. */
const notifyWorkers = () => notifyAfterCommit(db, queuedChannel)

/** One run at a time, and no poll. */
const workerOf = (asked: RunQueue) =>
  startRunWorker({
    runs: asked,
    executor: new ScriptedExecutor(),
    storage: testStorage(),
    images: unsignedImages,
    log,
    name: 'w1',
    capacity: runCapacity({ slots: 1 }),
    companyConcurrency: 50,
    pollIntervalMs: 3_600_000,
  })

it('takes what was queued and notified while the last one was claimed, without a further poll', async () => {
  const first = await queue()
  let second = ''
  let receive = () => {}
  const claimNext: RunQueue['claimNext'] = async (options) => {
    const run = await runs.claimNext(options)
    if (!run || second !== '') return run
    const received = new Promise<void>((resolve) => {
      receive = resolve
    })
    second = await queue()
    await notifyWorkers()
    await received
    return run
  }
  const listen: RunQueue['listen'] = (notify) =>
    runs.listen({
      ...notify,
      queued: () => {
        notify.queued()
        receive()
      },
    })
  const worker = await workerOf({ ...runs, claimNext, listen })
  const ended = () =>
    db.selectFrom('runs').select('id').where('state', '=', 'completed').orderBy('id').execute()
  await eventually(async () => expect(await ended()).toEqual([{ id: first }, { id: second }]))
  await worker.stop()
})
