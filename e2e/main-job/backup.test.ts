import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineCommand } from '../../cli/testing/run-cli.ts'
import {
  checkout,
  freePort,
  minimalEnvironment,
  type OwnService,
  readyLine,
  sandboxProgram,
  startService,
} from './service.ts'
import { build, ended, logIn, outputOf, publish, runWhen, submit, type Tenant } from './tenant.ts'

/* A backup of a running service, and a service restored from it. */

const run = promisify(execFile)
const slots = 2
/** Within the queue limit of one company. */
const submittedMost = 5

let parent: string
let service: OwnService
let tenant: Tenant
let restored: ChildProcess | undefined

beforeAll(async () => {
  parent = await mkdtemp('/var/lib/sandbox-jobs-test/backup-')
  await chmod(parent, 0o755)
  service = await startService({ SANDBOX_RUN_SLOTS: String(slots), SANDBOX_RESERVED_RUN_SLOTS: '0' })
  tenant = await logIn(service)
})
afterAll(async () => {
  await service?.stop()
  if (restored) {
    restored.kill('SIGTERM')
    await once(restored, 'close')
  }
  await rm(parent, { recursive: true, force: true })
})

const operate = (env: Record<string, string>, ...words: string[]) =>
  run(machineCommand, ['operator', ...words, '--json'], { env, cwd: checkout })

const failure = async (work: Promise<unknown>): Promise<{ code: number; stderr: string }> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: { code: number; stderr: string }) => error,
  )

test('a restored service has passwords, keys and results, and runs nothing that may have run since the backup', async () => {
  const context = join(parent, 'context')
  await run('mkdir', [context])
  await writeFile(join(context, 'Dockerfile'), 'FROM curated/python:3.11\nRUN echo hello > /greeting\n')
  const { vid } = await build(tenant, context)
  const greet = await publish(tenant, {
    environmentVersion: vid,
    workScript: 'printf \'"%s"\' "$(cat /greeting)" > "$SERVICE_OUTPUT_FILE"',
  })
  const wait = await publish(tenant, {
    environmentVersion: vid,
    workScript: 'sleep 600',
    timeoutSeconds: 900,
  })
  const done = await submit(tenant, greet, {})
  await runWhen(tenant, done.id, ended)
  const { client, room } = tenant
  const { principal_id: owner_user_id } = await client.call(allRoutes.readMe)
  const key = await client.call(allRoutes.createApiKey, {
    body: { name: 'ci', scope: 'full', owner_user_id },
  })

  // All slots are taken, so that the next submission is still queued when the backup is made.
  const sleepers = await Promise.all(Array.from({ length: slots }, () => submit(tenant, wait, {})))
  for (const { id } of sleepers) await runWhen(tenant, id, ({ status }) => status === 'running')
  const queued = await submit(tenant, greet, {})
  const folder = join(parent, 'backup')
  const during: string[] = []
  let isMade = false
  const backup = operate(service.env, 'backup', folder).finally(() => {
    isMade = true
  })
  while (!isMade && during.length < submittedMost) during.push((await submit(tenant, greet, {})).id)
  const { stdout } = await backup
  expect(JSON.parse(stdout)).toMatchObject({ folder })
  for (const { id } of sleepers) {
    await client.call(allRoutes.cancelRun, { params: { cid: room, rid: id } })
  }
  for (const id of [queued.id, ...during]) {
    expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed' })
  }
  expect(await readdir(join(service.dataDir, 'objects'))).not.toContain('hold')
  await run('age-keygen', ['--output', join(parent, 'identity')])
  const { stdout: recipient } = await run('age-keygen', ['-y', join(parent, 'identity')])
  const encrypting = { ...service.env, SANDBOX_BACKUP_RECIPIENTS: recipient.trim() }
  await operate(encrypting, 'backup', join(parent, 'encrypted'))
  await service.stop()

  const dataDir = join(parent, 'data')
  const port = await freePort()
  const env = { ...minimalEnvironment(), SANDBOX_DATA: dataDir, SANDBOX_PORT: String(port) }
  await operate(env, 'restore', folder)
  const again = await failure(operate(env, 'restore', folder))
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') })
  const child = spawn(sandboxProgram, ['up'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  restored = child
  await readyLine(child, [])

  const url = `http://127.0.0.1:${port}`
  const same = await logIn({ ...service, url })
  expect(JSON.parse(await outputOf(same, done.id))).toBe('hello')
  const read = (rid: string) => same.client.call(allRoutes.readRun, { params: { cid: room, rid } })
  for (const id of [queued.id, ...sleepers.map(({ id }) => id)]) {
    expect(await read(id)).toMatchObject({
      status: 'platform_failed',
      error_code: 'restored_from_backup',
      failure_hint: expect.stringContaining('may have continued after the backup'),
    })
  }
  const byKey = createClient({ baseUrl: url, apiKey: key.api_key })
  const params = { cid: room, rid: done.id }
  expect(await byKey.call(allRoutes.readRun, { params })).toMatchObject({ status: 'completed' })
  const fresh = await submit(same, greet, {})
  expect(await runWhen(same, fresh.id, ended)).toMatchObject({ status: 'completed' })
}, 600_000)

test('an encrypted backup is restored with its identity alone', async () => {
  const folder = join(parent, 'encrypted')
  const dataDir = join(parent, 'decrypted')
  const env = { ...minimalEnvironment(), SANDBOX_DATA: dataDir, SANDBOX_PORT: '1' }
  const locked = await failure(operate(env, 'restore', folder))
  expect(locked).toMatchObject({ code: 2, stderr: expect.stringContaining('the backup is encrypted') })
  await run('age-keygen', ['--output', join(parent, 'other-identity')])
  const other = await failure(operate(env, 'restore', folder, '--identity', join(parent, 'other-identity')))
  expect(other.stderr).toContain('no identity matched')
  expect(await readdir(parent)).not.toContain('decrypted')
  await operate(env, 'restore', folder, '--identity', join(parent, 'identity'))
  const keyIn = (keys: string) => readFile(join(keys, 'api/root.key'), 'utf8')
  expect(await keyIn(join(dataDir, 'keys'))).toBe(await keyIn(join(parent, 'backup/keys')))
})

test('an incomplete or modified backup is refused with the missing file', async () => {
  const folder = join(parent, 'backup')
  const env = { ...minimalEnvironment(), SANDBOX_DATA: join(parent, 'other'), SANDBOX_PORT: '1' }
  const [object = ''] = (await run('find', [join(folder, 'objects'), '-type', 'f'])).stdout.split('\n')
  await rm(object)
  const missing = await failure(operate(env, 'restore', folder))
  expect(missing).toMatchObject({ code: 2 })
  expect(missing.stderr).toContain(`${object.slice(folder.length + 1)} is missing`)
  await rm(join(folder, 'manifest.json'))
  expect((await failure(operate(env, 'restore', folder))).stderr).toContain('contains no complete backup')
  expect(await readdir(parent)).not.toContain('other')
})
