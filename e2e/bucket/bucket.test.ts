import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBucket } from '../../testing/bucket/test-bucket.ts'
import { checkout, type OwnService, sandboxProgram, startService } from '../main-job/service.ts'
import {
  artifactsOf,
  build,
  ended,
  logIn,
  logOf,
  outputOf,
  publish,
  runWhen,
  submit,
  type Tenant,
} from '../main-job/tenant.ts'

/* A service whose objects are in a bucket, and a minute in which the store of the bucket refuses everything. */

const outageMs = 60_000
let bucket: TestBucket
let service: OwnService
let tenant: Tenant
let task: string
let stuck: string

/** With a prefix, as in a bucket that others use too. */
const settingsOf = (name?: string) => ({ ...bucket.settings(name), SANDBOX_S3_PREFIX: 'e2e' })

beforeAll(async () => {
  bucket = await TestBucket.start()
  service = await startService(settingsOf())
  tenant = await logIn(service)
})
afterAll(() => service?.stop())

/** Of a route of results: the status and the code of the error. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: { status?: number; code?: string }) => [error.status, error.code],
  )
}

const ready = async () => (await fetch(`${service.url}/ready`)).json()

test('a job is built, run and read, and nothing of it is on the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-bucket-'))
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
  await writeFile(join(folder, 'note'), 'in a bucket')
  const { vid, attempt } = await build(tenant, folder)
  await rm(folder, { recursive: true })
  expect(attempt.status).toBe('completed')
  const write =
    'printf \'"%s"\' "$(cat /note)" > "$SERVICE_OUTPUT_FILE"; cp /note "$SERVICE_ARTIFACTS_DIR/a.txt"'
  task = await publish(tenant, { environmentVersion: vid, workScript: `echo started; ${write}` })
  stuck = await publish(tenant, { environmentVersion: vid, workScript: `sleep 5; ${write}` })
  const { id } = await submit(tenant, task, null)
  expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed' })
  expect(await outputOf(tenant, id)).toBe('"in a bucket"')
  expect(await artifactsOf(tenant, id)).toEqual({ 'a.txt': 'in a bucket' })
  expect(await logOf(tenant, id)).toContain('started')

  const keys = [...bucket.stored.objects.keys()]
  expect(keys.filter((key) => !key.startsWith('e2e/'))).toEqual([])
  expect(keys.filter((key) => key.startsWith(`e2e/runs/${id}/`))).toHaveLength(3)
  expect(await readdir(join(service.dataDir, 'objects'), { recursive: true })).toEqual([])
})

test('a minute in which the store refuses everything loses nothing, and answers are those of a store that fails', {
  timeout: 300_000,
}, async () => {
  const { client, room } = tenant
  const before = await submit(tenant, task, null)
  await runWhen(tenant, before.id, ended)
  const during = await submit(tenant, stuck, null)
  await runWhen(tenant, during.id, ({ status }) => status === 'running')
  bucket.fault = () => 'unavailable'
  const params = { cid: room, rid: before.id }
  expect(await errorOf(client.call(allRoutes.readRunOutput, { params }))).toEqual([
    503,
    'storage_unavailable',
  ])
  expect(await errorOf(client.call(allRoutes.readRunLog, { params }))).toEqual([503, 'storage_unavailable'])
  expect(await ready()).toMatchObject({
    status: 'failed',
    dependencies: { storage: 'failed', database: 'ok' },
  })
  await sleep(outageMs)
  const queued = await submit(tenant, task, null)
  bucket.fault = () => undefined

  for (const { id } of [during, queued]) {
    expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed' })
    expect(await outputOf(tenant, id)).toBe('"in a bucket"')
  }
  expect(await artifactsOf(tenant, before.id)).toEqual({ 'a.txt': 'in a bucket' })
  await expect.poll(ready).toMatchObject({ status: 'ok' })
})

test('a bucket that does not exist is named before and at the start, which it refuses', async () => {
  const env = { ...service.env, ...settingsOf('missing') }
  const run = (...words: string[]) =>
    promisify(execFile)(sandboxProgram, words, { env, cwd: checkout }).then(
      () => ({ code: 0, stdout: '', stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
  const expected = 'the bucket missing/e2e of http://127.0.0.1'
  const checked = await run('operator', 'check-settings')
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([2, expect.stringContaining(expected)])
  await service.stop()
  const started = await run('up')
  expect([started.code, started.stdout + started.stderr]).toEqual([2, expect.stringContaining(expected)])
})
