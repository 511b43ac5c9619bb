import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineCommand } from '../../cli/testing/run-cli.ts'
import { eventually } from '../../testing/eventually.ts'
import {
  checkout,
  freePort,
  minimalEnvironment,
  type OwnService,
  readyLine,
  sandboxProgram,
  startService,
} from './service.ts'
import { logIn, type Tenant } from './tenant.ts'

/* A service that archives its write-ahead log, and one that is restored to a moment from it. */

const run = promisify(execFile)
let parent: string
let backups: string
let service: OwnService
let tenant: Tenant
let restored: ChildProcess | undefined

beforeAll(async () => {
  parent = await mkdtemp('/var/lib/sandbox-jobs-test/moment-')
  await chmod(parent, 0o755)
  backups = join(parent, 'backups')
  await mkdir(backups, { mode: 0o700 })
  service = await startService({ SANDBOX_BACKUP_FOLDER: backups, SANDBOX_BACKUP_WAL_BYTES: '1g' })
  tenant = await logIn(service)
}, 600_000)
afterAll(async () => {
  await service?.stop()
  if (restored) {
    restored.kill('SIGTERM')
    await once(restored, 'close')
  }
  await rm(parent, { recursive: true, force: true })
})

/** The end of the last turn: it archives whole segments first, and then the part of the last one. */
async function lastTurnMs(): Promise<number> {
  const folder = join(backups, 'archive/wal')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.includes('.partial'))
  return Math.max(
    0,
    ...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  )
}

/** A turn that was under way may have started before. */
async function wholeTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const before = await lastTurnMs()
    await eventually(async () => expect(await lastTurnMs()).toBeGreaterThan(before))
  }
}

async function makeKey(name: string): Promise<{ api_key: string; created_at: string }> {
  const { principal_id: owner_user_id } = await tenant.client.call(allRoutes.readMe)
  return tenant.client.call(allRoutes.createApiKey, { body: { name, scope: 'full', owner_user_id } })
}

test('a service that is restored to a moment has what was made before it, and nothing that was made later', async () => {
  await eventually(async () => {
    const made = (await readdir(backups)).find((name) => existsSync(join(backups, name, 'manifest.json')))
    expect(made).toBeDefined()
    expect(await readdir(join(backups, made ?? ''))).toContain('cluster')
  })
  const before = await makeKey('before')
  const after = await makeKey('after')
  // It was committed after this time.
  const until = after.created_at
  await wholeTurn()
  await service.stop()

  const dataDir = join(parent, 'data')
  const port = await freePort()
  const env = { ...minimalEnvironment(), SANDBOX_DATA: dataDir, SANDBOX_PORT: String(port) }
  const words = ['operator', 'restore', backups, '--until', until, '--json']
  const { stdout } = await run(machineCommand, words, { env, cwd: checkout })
  expect(JSON.parse(stdout)).toMatchObject({ until: new Date(until).toISOString(), data_dir: dataDir })
  const child = spawn(sandboxProgram, ['up'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  restored = child
  await readyLine(child, [])
  const url = `http://127.0.0.1:${port}`
  const as = (apiKey: string) => createClient({ baseUrl: url, apiKey }).call(allRoutes.readMe)
  await logIn({ ...service, url })
  await expect(as(before.api_key)).resolves.toBeDefined()
  await expect(as(after.api_key)).rejects.toThrow()
}, 600_000)
