import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { createLog } from '../base/logging.ts'
import { makeRun, makeRunnableTask } from '../testing/factories/runs.ts'
import { makeTenant } from '../testing/factories/tenant.ts'
import { RunHarness } from '../testing/run-harness.ts'
import { ScriptedExecutor } from '../testing/scripted-executor.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { unsignedImages } from '../testing/unsigned-images.ts'
import { runPlaces } from './run-places.ts'
import { postgresRunQueue, type RunQueue } from './run-queue.ts'
import { queuedChannel } from './run-store.ts'
import { RunWorker } from './run-worker.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const runs = postgresRunQueue(db, url, log)
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)

const queue = () => makeRun(db, task, { chatroom_id: tenant.roomId })
/** As the transaction does that queues a run. */
const tellWorkers = () => sql`select pg_notify(${queuedChannel}, '')`.execute(db)

/** One at a time, and nothing but what it is told. */
const workerOf = (asked: RunQueue) =>
  new RunWorker({
    runs: asked,
    executor: new ScriptedExecutor(),
    storage: new RunHarness(db).storage,
    images: unsignedImages,
    log,
    name: 'w1',
    places: runPlaces({ slots: 1 }),
    companyConcurrency: 50,
    lookEveryMs: 3_600_000,
  })

it('takes what was queued and told while the last one was claimed, without a further look', async () => {
  const first = await queue()
  let second = ''
  let heard = () => {}
  const claimNext: RunQueue['claimNext'] = async (options) => {
    const run = await runs.claimNext(options)
    if (!run || second !== '') return run
    const told = new Promise<void>((resolve) => {
      heard = resolve
    })
    second = await queue()
    await tellWorkers()
    await told
    return run
  }
  const listen: RunQueue['listen'] = (news) =>
    runs.listen({
      ...news,
      look: () => {
        news.look()
        heard()
      },
    })
  const worker = workerOf({ ...runs, claimNext, listen })
  await worker.start()
  const ended = () =>
    db.selectFrom('runs').select('id').where('state', '=', 'completed').orderBy('id').execute()
  await vi.waitFor(async () => expect(await ended()).toEqual([{ id: first }, { id: second }]), {
    timeout: 20_000,
    interval: 20,
  })
  await worker.stop()
})
