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
import { notifyAfterCommit, notifyMissed } from '../../db/notify.ts'
import { postgresRunQueue, type RunQueue } from '../drive/run-queue.ts'
import { startRunWorker } from '../drive/run-worker.ts'
import { queuedChannel } from '../model/run-store.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const runs = postgresRunQueue(db, url, log)
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)

const queue = () => makeRun(db, task, { chatroom_id: tenant.roomId })
const ended = async () => {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('state', '=', 'completed')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
/** As the transaction does that queues a run. */
const notifyWorkers = () => notifyAfterCommit(db, queuedChannel)

/** One run at a time, and no poll unless it is asked for. */
const workerOf = (asked: RunQueue, pollIntervalMs = 3_600_000) =>
  startRunWorker({
    runs: asked,
    executor: new ScriptedExecutor(),
    storage: testStorage(),
    images: unsignedImages,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 1 }),
    companyConcurrency: 50,
    pollIntervalMs,
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
  await eventually(async () => expect(await ended()).toEqual([first, second]))
  await worker.stop()
})

/** In the state in which a process leaves it that is killed between the commit and the notification. */
const queueWithoutNotification = queue

it('finds a run that was not notified at its next poll, and when the killed process starts again', async () => {
  const polling = await workerOf(runs, 200)
  const first = await queueWithoutNotification()
  await eventually(async () => expect(await ended()).toContain(first))
  await polling.stop()
  const worker = await workerOf(runs)
  const second = await queueWithoutNotification()
  await notifyMissed(db)
  await eventually(async () => expect(await ended()).toContain(second))
  await worker.stop()
})
