import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { TestAgent, tarOf } from '../../../testing/agent/test-agent.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import type { BuildTools } from '../../builds/request/build.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { StoredImages } from '../../images/stored-images.ts'
import { queuedChannel } from '../model/run-store.ts'
import { postgresRunQueue } from './run-queue.ts'
import { type RunWorker, startRunWorker } from './run-worker.ts'

/* A company that sleeps in every sandbox that it can get, and others that have one short run, on a real host. */

const { db, url } = await createTestDatabase()
const storage = testStorage()
const log = createLog('test', 'silent')
let agent: TestAgent
let tools: BuildTools
let layer: Buffer
let worker: RunWorker | undefined

beforeAll(async () => {
  layer = await tarOf([[{ name: 'data/', type: 'directory' }]])
  agent = await TestAgent.start()
  tools = makeBuildTools(db, { storage, executor: agent.client })
})
afterEach(async () => {
  const live = await db.selectFrom('runs').select('sandbox_id').where('terminal_at', 'is', null).execute()
  for (const { sandbox_id: id } of live) if (id !== null) await agent.client.stop(id)
  await worker?.stop()
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('terminal_at', 'is', null)
    .execute()
})
afterAll(() => agent.dispose())

async function makeCompany(work_script: string): Promise<Tenant & { task: RunnableTask }> {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId, { work_script })
  const { layerDigest, promotedDigest } = await makeSignedImage(tools, {
    versionId: task.environmentVersionId,
    layer,
  })
  await db
    .updateTable('environment_versions')
    .set({ layer_digest: layerDigest, promoted_digest: promotedDigest })
    .where('id', '=', task.environmentVersionId)
    .execute()
  return { ...tenant, task }
}

async function startWorker(slots: number): Promise<void> {
  worker = await startRunWorker({
    runs: postgresRunQueue(db, url, log),
    executor: agent.client,
    storage,
    images: new StoredImages(tools),
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots }),
    companyConcurrency: 50,
  })
}

/** As a submission does, with word to the worker. */
async function submit({ task, roomId }: Tenant & { task: RunnableTask }, timeout_seconds: number) {
  const id = await makeRun(db, task, { chatroom_id: roomId, timeout_seconds })
  await db.transaction().execute((trx) => notifyAfterCommit(trx, queuedChannel))
  return id
}

const statesOf = async ({ companyId }: Tenant) => {
  const rows = await db.selectFrom('runs').select('state').where('company_id', '=', companyId).execute()
  return rows.map(({ state }) => state).toSorted()
}
const until = (check: () => Promise<void>) => eventually(check)

const weekSeconds = 604_680
const waitMs = 20_000

it.each([2, 4, 6])('of %d places, the run of another company has one at once', async (slots) => {
  const greedy = await makeCompany('sleep 1000')
  const quiet = await makeCompany('true')
  await startWorker(slots)
  for (let index = 0; index < slots + 2; index += 1) {
    await submit(greedy, weekSeconds)
  }
  const held = [...Array(3).fill('queued'), ...Array(slots - 1).fill('running')]
  await until(async () => expect(await statesOf(greedy)).toEqual(held))
  for (let round = 0; round < 3; round += 1) {
    const id = await submit(quiet, 1800)
    const row = () => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    await until(async () => expect(await row()).toMatchObject({ state: 'completed' }))
    const { queued_at, claimed_at } = await row()
    expect(Number(claimed_at) - Number(queued_at)).toBeLessThan(waitMs)
  }
  expect(await statesOf(greedy)).toEqual(held)
})
