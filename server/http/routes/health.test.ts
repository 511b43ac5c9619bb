import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { createLog } from '../../base/logging.ts'
import { apiDependencies } from '../../operations/health/api-dependencies.ts'
import { Readiness } from '../../operations/health/readiness.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { takeExecutorLease } from '../../work/executor-lease.ts'
import { createApp } from '../app.ts'
import { commitOf, mountHealthRoutes } from './health.ts'

const { db } = await createTestDatabase()
const log = createLog('test', 'silent')
const objects = join(testFolder(), 'objects')
const machine = { id: '1'.repeat(32), folder: '11-1' }
const lease = await takeExecutorLease({
  db,
  machine,
  boot: 'boot',
  place: 'host:/x',
  keys: () => ['k'],
  store: 'bucket',
  capacity: {},
  log,
})
afterAll(() => lease.release())
beforeEach(() => lease.recordAgentSeen())

async function ask({ path = '/ready', database = db, floorBytes = 1, draining = false } = {}) {
  const app = createApp(log)
  const storage = new DiskStorage(objects, floorBytes)
  const readiness = new Readiness(apiDependencies({ db: database, storage }), log)
  mountHealthRoutes(app, { readiness, draining: draining ? AbortSignal.abort() : undefined })
  const { statusCode, body } = await app.inject({ method: 'GET', url: path })
  await app.close()
  return [statusCode, JSON.parse(body)]
}
const works = { database: 'ok', worker: 'ok', host_agent: 'ok', storage: 'ok', disk_space: 'ok' }
const failing = (...names: string[]) => [
  503,
  {
    status: 'failed',
    dependencies: { ...works, ...Object.fromEntries(names.map((name) => [name, 'failed'])) },
  },
]

test('the process is alive, without a look at anything', async () => {
  expect(await ask({ path: '/health', database: {} as typeof db })).toEqual([200, { status: 'ok' }])
})

test('the service is ready when all that it needs works', async () => {
  expect(await ask()).toEqual([200, { status: 'ok', dependencies: works }])
})

test('a process that was asked to stop is not ready, though all works', async () => {
  expect(await ask({ draining: true })).toEqual([503, { status: 'draining', dependencies: works }])
})

test('a worker that has not renewed its lease, or gave it up, is named', async () => {
  await sql`update executors set lease_until = now() - interval '1 second'`.execute(db)
  expect(await ask()).toEqual(failing('worker'))
  await sql`update executors set lease_until = now() + interval '1 hour', released = true`.execute(db)
  expect(await ask()).toEqual(failing('worker'))
  await sql`update executors set released = false`.execute(db)
})

test('a host agent that has not answered for a while, or never, is named', async () => {
  await sql`update executors set agent_seen_at = now() - interval '21 seconds'`.execute(db)
  expect(await ask()).toEqual(failing('host_agent'))
  await sql`update executors set agent_seen_at = null`.execute(db)
  expect(await ask()).toEqual(failing('host_agent'))
})

test('with the database fails what is seen in it, and no reason is shown', async () => {
  expect(await ask({ database: {} as typeof db })).toEqual(failing('database', 'worker', 'host_agent'))
})

test('storage that cannot be written is named', async () => {
  await rename(objects, `${objects}.away`)
  await writeFile(objects, '')
  expect(await ask()).toEqual(failing('storage'))
  await rm(objects)
  await rename(`${objects}.away`, objects)
})

test('a disk below its floor is named', async () => {
  expect(await ask({ floorBytes: Number.MAX_SAFE_INTEGER })).toEqual(failing('disk_space'))
})

test('the version names the release, and the commit that it was made from', async () => {
  const [status, body] = await ask({ path: '/version' })
  expect([status, body]).toEqual([
    200,
    { version: expect.stringMatching(/^\d+\.\d+\.\d+/), commit: null, api: 1 },
  ])
  expect(commitOf(`${'0a'.repeat(20)}\n`)).toBe('0a'.repeat(20))
})
