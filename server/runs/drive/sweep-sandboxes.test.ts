import { expect, test } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { postgresRunQueue } from './run-queue.ts'
import { startRunWorker } from './run-worker.ts'
import { sweepSandboxes } from './sweep-sandboxes.ts'

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const runs = postgresRunQueue(db, url, log)
const storage = testStorage()

const executor = new ScriptedExecutor()

/** A worker that has a run `until` it is in that state, and goes. */
async function runUntil(state: string): Promise<string> {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const worker = await startRunWorker({
    runs,
    executor,
    storage,
    images: unsignedImages,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 1 }),
    companyConcurrency: 50,
    egressCapBytes: undefined,
  })
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const run = db.selectFrom('runs').select('state').where('id', '=', id)
  await eventually(async () => expect(await run.executeTakeFirst()).toEqual({ state }))
  await worker.stop()
  return id
}

test('a sandbox that its worker could not remove is removed', async () => {
  executor.failNext('remove')
  await runUntil('completed')
  expect(await sweepSandboxes(runs, executor)).toBe(1)
  expect(await executor.list()).toEqual([])
})

test('a sandbox whose run was ended by somebody else is stopped and removed', async () => {
  executor.script(() => 'hold')
  const id = await runUntil('running')
  await db
    .updateTable('runs')
    .set({ state: 'platform_failed', terminal_at: new Date() })
    .where('id', '=', id)
    .execute()
  expect(await sweepSandboxes(runs, executor)).toBe(0)
  expect(await executor.list()).toEqual([{ id: `${id}_1`, state: 'exited' }])
  expect(await sweepSandboxes(runs, executor)).toBe(1)
  expect(await executor.list()).toEqual([])
})
